#!/bin/bash
# Debug information that dwz (0.15-1) shared between files (-m, as Debian's dbgsym packages are
# made): binutils 2.40-2's addr2line names the caller for an inlined function, and LLVM 19.1.7's
# llvm-symbolizer "??", both without a word; elfutils 0.188-2.1 names it (all Debian 12).
#
# The name of a function that several programs inline, from a common header, is then in the
# supplementary file (.gnu_debugaltlink), and the inlined copies refer to it there. addr2line opens
# that file, and still gives the name of the function around: as the line is that of the inlined
# one, a profile by inlined frames shows a function that calls itself. llvm-symbolizer does not
# open it. Without dwz all three agree, so a comparison of them on one's own builds shows nothing.
#
# Seen, function and line of the innermost frame; mix (shared.c) has inlined `scale` (scale.h:3):
#                     before dwz         after dwz -m
#   addr2line -i      scale scale.h:3    mix scale.h:3
#   llvm-symbolizer   scale scale.h:3    ?? scale.h:3
#   eu-addr2line -i   scale scale.h:3    scale scale.h:3
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
llvm=1:19.1.7-3~deb12u1
for package in binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 elfutils=0.188-2.1 \
	libdw1=0.188-2.1 libelf1=0.188-2.1 libasm1=0.188-2.1 llvm-19=$llvm libllvm19=$llvm \
	libz3-4 libpfm4 dwz=0.15-1; do
	apt-get download "$package" >/dev/null 2>&1 || { echo "cannot download $package"; exit 2; }
done
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done

cat >scale.h <<'END'
static inline __attribute__((always_inline)) int scale(int factor, int summand)
{
	volatile int result = factor * 31 + summand;
	return result;
}
struct pair_of_numbers { int first_number_of_the_pair, second_number_of_the_pair; };
END
cat >shared.c <<'END'
#include "scale.h"
int mix(int a, int b)
{
	struct pair_of_numbers pair = {a, b};
	return scale(pair.first_number_of_the_pair, pair.second_number_of_the_pair);
}
END
cat >main.c <<'END'
#include "scale.h"
int mix(int, int);
int main(int count, char **words)
{
	struct pair_of_numbers pair = {count, words[0][0]};
	return mix(count, 3) + scale(pair.first_number_of_the_pair, 4);
}
END
gcc -g -O2 -o before main.c shared.c && cp before after && cp before other || exit 2

# downloaded COMMAND...: runs it with the downloaded libraries, in the downloaded folder.
downloaded() {
	LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu "$folder/root/usr/$1" "${@:2}"
}

# said COMMAND...: function and line of the innermost frame.
said() {
	downloaded "$@" | sed -n '1s/ inlined at.*//p; 1p; 2s/.*\(scale\.h:[0-9]*\).*/\1/p' |
		uniq | sed '2{/scale/!d}' | head -2 | paste -sd ' '
}

downloaded bin/dwz -m shared.debug after other || exit 2
place=0x$(nm before | awk '$3 == "mix" { print $1 }')
for file in before after; do
	seen="$(said bin/x86_64-linux-gnu-addr2line -fie $file "$place")
$(said lib/llvm-19/bin/llvm-symbolizer -e $file "$place")
$(said bin/eu-addr2line -fie $file "$place")"
	printf '%s:\n%s\n' $file "$seen"
	case $file in
	before) wanted=$'scale scale.h:3\nscale scale.h:3\nscale scale.h:3' ;;
	after) wanted=$'mix scale.h:3\n?? scale.h:3\nscale scale.h:3' ;;
	esac
	[ "$seen" = "$wanted" ] || exit 1
done
