#!/bin/bash
# binutils 2.40-2 (Debian 12): `dwp` leaves each unit of DWARF 5 out of its package, without a
# word and with exit status 0, although gcc 12 and clang 14 write that version by default.
#
# A split unit of version 4 and one of version 5 are assembled and packed, each by itself. Both
# times dwp ends with 0 and prints nothing, but for version 5 the package has no .debug_info.dwo,
# and its index of units is of 16 bytes: no column, no unit, no slot. Debuggers then find neither
# the package's unit nor, once the .dwo files are gone, anything but the skeletons. llvm-dwp packs
# what clang writes in version 5; .dwo files must be kept otherwise.
#
# Seen: version 4: .debug_info.dwo of 24 bytes, .debug_cu_index of 232
#       version 5: no .debug_info.dwo, .debug_cu_index of 16 bytes, exit status 0, nothing printed
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
for package in binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf-nobfd0=2.40-2; do
	apt-get download "$package" >/dev/null 2>&1 || { echo "cannot download $package"; exit 2; }
done
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
bin=$folder/root/usr/bin/x86_64-linux-gnu

# unit VERSION: a compilation unit with a name and, in version 4, its number as an attribute.
unit() {
	cat <<-END
		.section .debug_info.dwo,"e",@progbits
		.long .Lend - .Lstart
		.Lstart:
		.value $1
		$([ "$1" = 5 ] && printf '.byte 5, 8\n.long 0\n.quad 0x1122334455667788\n')
		$([ "$1" = 4 ] && printf '.long 0\n.byte 8\n')
		.uleb128 1
		.string "a.c"
		$([ "$1" = 4 ] && echo .quad 0x1122334455667788)
		.Lend:
		.section .debug_abbrev.dwo,"e",@progbits
		.uleb128 1, 0x11
		.byte 0
		.uleb128 3, 8
		$([ "$1" = 4 ] && echo .uleb128 0x2131, 7)
		.byte 0, 0, 0
	END
}

# size_of FILE SECTION: in bytes; 0 if it has none.
size_of() {
	local hex
	hex=$("$bin-readelf" -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' |
		awk -v name="$2" '$1 == name { print $5 }')
	echo $((16#${hex:-0}))
}

for version in 4 5; do
	unit $version >$version.s && "$bin-as" $version.s -o $version.dwo || exit 2
	said=$("$bin-dwp" $version.dwo -o $version.dwp 2>&1)
	status=$?
	info=$(size_of $version.dwp .debug_info.dwo)
	index=$(size_of $version.dwp .debug_cu_index)
	echo "version $version: status $status, printed '$said'," \
		".debug_info.dwo $info bytes, .debug_cu_index $index bytes"
	case $version in
	4) [ $status = 0 ] && [ "$info" -gt 0 ] && [ "$index" -gt 16 ] || exit 1 ;;
	5) [ $status = 0 ] && [ -z "$said" ] && [ "$info" = 0 ] && [ "$index" = 16 ] || exit 1 ;;
	esac
done
