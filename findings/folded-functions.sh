#!/bin/bash
# Functions that the linker folded (--icf=all): binutils 2.40-2, elfutils 0.188-2.1 and LLVM 19.1.7
# (Debian 12) each give an address a function and a line that do not belong together.
#
# Two equal functions `first` and `second` of one C file share one address after gold or lld have
# folded them. The line table keeps the rows of both at that address. gold leaves both entries of
# .debug_info there, too; lld puts one at 0. Each tool takes the function from one place (symbols,
# or .debug_info) and the line from another (the first or the last of the rows), and says so with
# no sign of doubt. `addr2line -f` is wrong with both linkers. A report by lines gives the
# executions of both functions to one, and the lines of the other look as if they had no code.
# Who reads both must choose the function first, and then the rows that lie in its lines.
#
# Seen (first is lines 1 to 4, its code lines 3 and 4; second 5 to 8, its code lines 7 and 8):
#                     gold             lld
#   addr2line         first, line 7    first, line 7
#   eu-addr2line      second, line 7   first, line 7
#   llvm-symbolizer   first, line 3    second, line 3
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
llvm=1:19.1.7-3~deb12u1
for package in binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 elfutils=0.188-2.1 \
	libdw1=0.188-2.1 libelf1=0.188-2.1 libasm1=0.188-2.1 llvm-19=$llvm libllvm19=$llvm \
	lld-19=$llvm libz3-4 libpfm4; do
	apt-get download "$package" >/dev/null 2>&1 || { echo "cannot download $package"; exit 2; }
done
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done
mkdir linkers && ln -s "$folder/root/usr/bin/x86_64-linux-gnu-ld.gold" linkers/ld.gold &&
	ln -s "$folder/root/usr/lib/llvm-19/bin/ld.lld" linkers/ld.lld || exit 2

cat >two.c <<'END'
int first(int x)
{
	return x * 3 + 1;
}
int second(int x)
{
	return x * 3 + 1;
}
int (*volatile calls[])(int) = {first, second};
int main(void)
{
	return calls[0](1) - calls[1](1);
}
END
gcc -g -O1 -fno-ipa-icf -ffunction-sections -c two.c || exit 2

# downloaded COMMAND...: runs it with the downloaded libraries, in the downloaded folder.
downloaded() {
	LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu "$folder/root/usr/$1" "${@:2}"
}

# said COMMAND...: "function, line" of what it prints.
said() {
	downloaded "$@" | sed -n '1p; 2s/.*two\.c:\([0-9]*\).*/line \1/p' | paste -sd , |
		sed 's/,/, /'
}

for linker in gold lld; do
	LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu gcc -B"$folder/linkers" \
		-fuse-ld=$linker -Wl,--icf=all two.o -o two.$linker || exit 2
	place=0x$(nm two.$linker | awk '$3 == "first" { print $1 }')
	[ "$place" = "0x$(nm two.$linker | awk '$3 == "second" { print $1 }')" ] || exit 2
	seen="$(said bin/x86_64-linux-gnu-addr2line -fe two.$linker "$place")
$(said bin/eu-addr2line -fe two.$linker "$place")
$(said lib/llvm-19/bin/llvm-symbolizer -e two.$linker "$place")"
	printf '%s:\n%s\n' $linker "$seen"
	case $linker in
	gold) wanted=$'first, line 7\nsecond, line 7\nfirst, line 3' ;;
	lld) wanted=$'first, line 7\nfirst, line 7\nsecond, line 3' ;;
	esac
	[ "$seen" = "$wanted" ] || exit 1
done
