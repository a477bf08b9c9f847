#!/bin/bash
# Whether bash completes command lines of trammel: completion.sh FOLDER-OF-TRAMMEL
cd "$(dirname "$0")/.." || exit 1
PATH=$1:$PATH
. completion/trammel.bash
failed=0

# expect WORD LINE...: that WORD is among what may stand in place of the last word of LINE.
expect() {
	local wanted=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_trammel 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$wanted" && return
	echo "'$*' is not completed to '$wanted', but: ${COMPREPLY[*]}"
	failed=1
}

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
touch "$folder/a.trm" "$folder/b.txt"
expect report trammel rep
expect run trammel ''
expect --output= trammel run --out
expect --json trammel report --j
expect callgraph trammel run -m call
expect blocks,callgraph trammel run -m blocks,callg
expect annotate trammel help ann
expect "$folder/a.trm" trammel report "$folder/"
expect "$folder/b.txt" trammel run -- cat "$folder/b"
expect bash trammel run -- bas
exit $failed
