#!/bin/bash
# Go 1.23.5 (golang-1.23-go 1.23.5-1~bpo12+1, Debian 12 backports): `go tool pprof` takes up to
# two callers out of the stacks of a valid CPU profile of gperftools, without a word.
#
# In the old format of gperftools (binary words, the maps after them) the frame after the leaf can
# be one of the profiler's own signal handler. The reader finds it by its look: an address that is
# second in almost all stacks (all of them; of 32 and more different stacks, all but 1 in 32; how
# often each was sampled does not matter) is dropped, and then this is done once more. Where one
# loop calls all that takes time the second frame is that loop: it and its caller have no time,
# inclusive time included, and what is left says that main calls the leaves. A profile of the same
# program with a second call site in the loop keeps all frames. Profiles in pprof's own format
# (protobuf) are not treated so: exporters write that one, and converters should.
#
# Seen: 2 stacks hotA and hotB <- loop <- solve <- main   read as  hotA, hotB <- main
#       the same with two call sites in the loop          read as they are
#       40 stacks, 39 of them by one call site            39 without loop and solve, 1 as it is
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2

# fetch SUITE PACKAGE=VERSION...: from another suite of the mirror that this machine uses.
fetch() {
	local suite=$1 mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
	shift
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' | grep -v security | head -1)
	mkdir -p lists/partial
	echo "deb [signed-by=$key] $mirror $suite main" >suite.list
	set -- -o Dir::Etc::SourceList="$PWD/suite.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$PWD/lists" -o Dir::State::Status=/dev/null \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -- "$@"
	apt-get "${@:1:12}" update >/dev/null 2>&1
	apt-get "${@:1:12}" download "${@:14}" >/dev/null 2>&1 ||
		{ echo "cannot download ${*:14}"; exit 2; }
}

fetch bookworm-backports golang-1.23-go=1.23.5-1~bpo12+1
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done

python3 - <<'END' || exit 2
import struct

HOT, LOOP, SOLVE, MAIN = 0x401000, 0x402005, 0x403005, 0x404005

def words(*values):
    return struct.pack(f"<{len(values)}Q", *values)

def write(name, stacks):
    data = words(0, 3, 0, 10000, 0)
    for count, stack in stacks:
        data += words(count, len(stack), *stack)
    data += words(0, 1, 0) + b"00400000-00500000 r-xp 00000000 00:00 0 /nonexistent/program\n"
    with open(name, "wb") as file:
        file.write(data)

def stacks(count, sites):
    return [(5, [HOT + 0x10 * i, LOOP + sites(i), SOLVE, MAIN]) for i in range(count)]

write("one.prof", stacks(2, lambda i: 0))
write("two.prof", stacks(2, lambda i: i * 0x10))
write("forty.prof", stacks(40, lambda i: 0x10 * (i == 39)))
END

# depths NAME: how many stacks of each depth pprof reads.
depths() {
	root/usr/lib/go-1.23/pkg/tool/linux_amd64/pprof -symbolize=none -raw "$1.prof" \
		2>/dev/null |
		awk '/^Locations/ { exit }
			/^ +[0-9]+ +[0-9]+: / { stacks[NF - 2]++ }
			END { for (n = 0; n < 9; n++)
				if (stacks[n]) printf "%d of depth %d; ", stacks[n], n }'
}

for name in one two forty; do
	seen=$(depths $name)
	echo "$name: $seen"
	case $name in
	one) [ "$seen" = '2 of depth 2; ' ] || exit 1 ;;
	two) [ "$seen" = '2 of depth 4; ' ] || exit 1 ;;
	forty) [ "$seen" = '39 of depth 2; 1 of depth 4; ' ] || exit 1 ;;
	esac
done
