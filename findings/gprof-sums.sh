#!/bin/bash
# gprof of binutils 2.40-2 (Debian 12): `gprof -s`, which adds profiles up, keeps the low 32 bits of
# the sums, without a word; `gprof` over the same files shows the whole sums.
#
# A count in gmon.out has four bytes, the profiling runtime's own counter eight: a call made
# 2^32 times is not in the file at all. But reading adds in 64 bits: two runs with 3,000,000,000
# calls each are 6,000,000,000 in a report of both, and 1,705,032,704 in one of the gmon.sum that
# `-s` made of them. Every exact count in a gmon.sum is thus modulo 2^32, and smaller than in one
# of its parts can be the sign. Reports must be made of the parts.
#
# Seen: gprof program part part     leaf called 6000000000 times
#       gprof -s, gprof gmon.sum    leaf called 1705032704 times, exit status 0, nothing printed
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
for package in binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2; do
	apt-get download "$package" >/dev/null 2>&1 || { echo "cannot download $package"; exit 2; }
done
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done

cat >program.c <<'END'
int sum;
__attribute__((noinline)) int leaf(int number) { return number * 3 + 1; }
int main(void)
{
	for (int i = 0; i < 1000; i++)
		sum += leaf(i);
	return 0;
}
END
gcc -O1 -pg -no-pie -o program program.c && ./program || exit 2

# The file as it is after 3,000,000,000 calls, which would take seconds: its arc of 1,000.
python3 - <<'END' || exit 2
import struct

data = bytearray(open("gmon.out", "rb").read())
at, found = 20, 0
while at < len(data):
    if data[at] == 0:
        at += 1 + 40 + 2 * struct.unpack_from("<I", data, at + 17)[0]
    elif data[at] == 1:
        if struct.unpack_from("<I", data, at + 17)[0] == 1000:
            struct.pack_into("<I", data, at + 17, 3000000000)
            found += 1
        at += 21
    else:
        raise SystemExit("unknown record")
open("part", "wb").write(data)
raise SystemExit(found != 1)
END

# gprof OPTION...: the downloaded one.
gprof() {
	LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/x86_64-linux-gnu-gprof "$@"
}

# calls_in FILE...: of leaf, in a report of these.
calls_in() { gprof -b -p program "$@" | awk '$NF == "leaf" { print $4 }'; }

both=$(calls_in part part)
said=$(gprof -s program part part 2>&1)
status=$?
sum=$(calls_in gmon.sum)
echo "both parts: $both; -s: status $status, printed '$said'; gmon.sum: $sum"
[ "$both" = 6000000000 ] && [ "$sum" = 1705032704 ] && [ $status = 0 ] && [ -z "$said" ]
