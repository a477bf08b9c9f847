#!/bin/bash
# lcov-parse 1.0.0, parse-lcov 1.0.4 and lcov-result-merger 6.0.0 (npm): of the function records
# that lcov 2 writes the first two take the last line of a function for its name, or see no
# function at all; the third drops all functions of a newer tracefile.
#
# Until 1.16 lcov wrote FN:line,name. 2.x takes the function's last line, too, FN:line,last,name;
# 2.3.1 (Debian 13) writes two records of other names, FNL:index,line,last and
# FNA:index,calls,name. None of the three says that it met something unknown: the parsers report
# the totals of FNF and FNH, which are right, beside functions named "7", or beside an empty list,
# and no function has calls. The merger keeps FN with the last line as it is, but of FNL and FNA
# nothing is left in its output, and it writes FNF:0. Line records are read well by all three. An
# exporter for such readers has to write the old form, which lcov 2 reads too.
#
# Seen, names and calls of two functions, main and helper:
#                        old form           with the last line   FNL and FNA
#   lcov-parse           main 1, helper 5   7 -, 12 -            (none)
#   parse-lcov           main 1, helper 5   7 -, 12 -            (none)
#   merger, twice one    FNF:2              FNF:2                FNF:0
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
echo '{}' >package.json
npm install --no-audit --no-fund --ignore-scripts lcov-parse@1.0.0 parse-lcov@1.0.4 \
	lcov-result-merger@6.0.0 >/dev/null 2>&1 || { echo "cannot install the packages"; exit 2; }

# tracefile NAME RECORD...: with these records of the two functions.
tracefile() {
	local name=$1
	shift
	printf '%s\n' TN: SF:a.c "$@" FNF:2 FNH:2 DA:3,1 DA:4,1 DA:10,5 LF:3 LH:3 end_of_record \
		>"$name"
}
tracefile old FN:3,main FN:9,helper FNDA:1,main FNDA:5,helper
tracefile last FN:3,7,main FN:9,12,helper FNDA:1,main FNDA:5,helper
tracefile index FNL:0,3,7 FNA:0,1,main FNL:1,9,12 FNA:1,5,helper

cat >parse.js <<'END'
const fs = require('fs');
const list = (sections) => sections[0].functions.details
	.map((it) => `${it.name} ${it.hit ?? '-'}`).join(', ') || '(none)';
const name = process.argv[2];
const parse = require('parse-lcov').default || require('parse-lcov');
require('lcov-parse')(name, (error, sections) =>
	console.log(`${error ?? list(sections)}\n${list(parse(fs.readFileSync(name, 'utf8')))}`));
END

for name in old last index; do
	seen=$(node parse.js $name 2>&1)
	cp $name $name.again
	node node_modules/lcov-result-merger/bin/lcov-result-merger.js "$name*" merged || exit 2
	seen="$seen
$(grep FNF merged)"
	printf '%s:\n%s\n' $name "$seen"
	case $name in
	old) wanted=$'main 1, helper 5\nmain 1, helper 5\nFNF:2' ;;
	last) wanted=$'7 -, 12 -\n7 -, 12 -\nFNF:2' ;;
	index) wanted=$'(none)\n(none)\nFNF:0' ;;
	esac
	[ "$seen" = "$wanted" ] || exit 1
done
