#!/bin/bash
# Go 1.23.5 (golang-1.23-go 1.23.5-1~bpo12+1, Debian 12 backports), profile-guided optimisation
# (`go build -pgo`; here its first step, `go tool preprofile`): of each stack of a pprof profile
# only the calls in the last two locations count, not each call on it.
#
# For main -> solve -> leaf with 5 samples it knows one hot call, solve -> leaf; main -> solve gets
# nothing. "Location" is meant literally: where leaf is an inlined line of solve's location, both
# calls count, and with a location for each inlined frame, as some readers want it, the second is
# lost again. A stack of two frames for each arc, with the arc's count, is what gives all of them.
# More in the same place: the sample type must be samples/count or cpu/nanoseconds by name, the
# first such in the file (exact calls/count: an error; samples that are all 0 before a good cpu:
# an error that speaks of start lines). One function with a start line, and a call within a
# function without one is placed at its line number as if it began at line 0, instead of the error
# that a profile without any gets. Counts are added without a look at overflow.
#
# Seen, caller, callee, line in the caller, weight:
#   leaf <- solve <- main, 5      solve leaf 5 5
#   leaf inlined in solve, 5      main solve 2 5; solve leaf 5 5
#   arcs as stacks of two, 5, 7   main solve 2 7; solve leaf 5 5
#   a start line of leaf only     solve leaf 25 5
#   twice 2^62                    solve leaf 5 -9223372036854775808, exit status 0
#   calls/count                   an error
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
STARTS = {"main": 10, "solve": 20, "leaf": 30}
LEAF, SOLVE, MAIN = ("leaf", 33), ("solve", 25), ("main", 12)
DEEP = [[LEAF], [SOLVE], [MAIN]]

def number(value):
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes(parts + [value])

def field(tag, value):
    if isinstance(value, bytes):
        return number(tag << 3 | 2) + number(len(value)) + value
    return number(tag << 3) + number(value)

def write(name, kind, starts, samples):
    """A profile: locations are lists of (function, line), innermost first."""
    names = ["", *kind, *STARTS, "/nonexistent/program", "a.go"]
    functions = list(STARTS)
    places = []
    out = field(1, field(1, 1) + field(2, 2))
    for stack, count in samples:
        ids = b""
        for place in stack:
            if place not in places:
                places.append(place)
            ids += number(places.index(place) + 1)
        out += field(2, field(1, ids) + field(2, number(count)))
    out += field(3, field(1, 1) + field(2, 0x400000) + field(3, 0x500000) +
                 field(5, names.index("/nonexistent/program")) +
                 b"".join(field(has, 1) for has in (7, 8, 9, 10)))
    for i, place in enumerate(places):
        lines = b"".join(field(4, field(1, functions.index(function) + 1) + field(2, line))
                         for function, line in place)
        out += field(4, field(1, i + 1) + field(2, 1) + field(3, 0x400000 + 16 * i) + lines)
    for i, function in enumerate(functions):
        text = names.index(function)
        out += field(5, field(1, i + 1) + field(2, text) + field(3, text) +
                     field(4, names.index("a.go")) + field(5, starts.get(function, 0)))
    for text in names:
        out += field(6, text.encode())
    with open(name, "wb") as file:
        file.write(out)

SAMPLES = ("samples", "count")
write("deep", SAMPLES, STARTS, [(DEEP, 5)])
write("inlined", SAMPLES, STARTS, [([[LEAF, SOLVE], [MAIN]], 5)])
write("arcs", SAMPLES, STARTS, [(DEEP[:2], 5), (DEEP[1:], 7)])
write("start", SAMPLES, {"leaf": 30}, [(DEEP, 5)])
write("large", SAMPLES, STARTS, [(DEEP, 2**62), (DEEP, 2**62)])
write("calls", ("calls", "count"), STARTS, [(DEEP, 5)])
END

for name in deep inlined arcs start large calls; do
	rm -f out
	root/usr/lib/go-1.23/pkg/tool/linux_amd64/preprofile -i $name -o out 2>error
	status=$?
	seen="status $status; $([ -f out ] && tail -n +2 out | paste -d ' ' - - - | paste -sd ';')"
	echo "$name: $seen"
	case $name in
	deep) wanted='status 0; solve leaf 5 5' ;;
	inlined) wanted='status 0; main solve 2 5;solve leaf 5 5' ;;
	arcs) wanted='status 0; main solve 2 7;solve leaf 5 5' ;;
	start) wanted='status 0; solve leaf 25 5' ;;
	large) wanted='status 0; solve leaf 5 -9223372036854775808' ;;
	calls) wanted='status 1; ' ;;
	esac
	[ "$seen" = "$wanted" ] || exit 1
done
