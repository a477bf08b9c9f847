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
expect callgraph trammel debug -m call
expect bash trammel debug -- bas
expect arc.count trammel info arc.c
expect callgrind trammel export --to call
expect folded trammel import --from fol
expect topstalls trammel db top
expect --estimate trammel db calc --est
expect --stdio trammel agent --
expect --measure= trammel config --mea
expect "$folder/b.txt" trammel script "$folder/b"
expect $$ trammel debug -p ${$%?}
for command in info advise flame browse debug config agent stacks values db query top; do
	expect $command trammel ${command%?}
	COMP_WORDS=(trammel $command --)
	COMP_CWORD=2
	_trammel 2>/dev/null
	[ ${#COMPREPLY[@]} -gt 0 ] || {
		echo "no options of $command"
		failed=1
	}
done
for command in advise flame browse stacks values; do
	expect "$folder/a.trm" trammel $command "$folder/"
done

# The others say what they would offer only in shells of their own.
if command -v fish >/dev/null; then
	offer() {
		fish --no-config -c "source completion/trammel.fish; complete -C '$1'" 2>/dev/null |
			grep -q "^$2" && return
		echo "fish: '$1' is not completed to '$2'"
		failed=1
	}
	offer 'trammel flam' flame
	offer 'trammel info arc.c' arc.count
	offer 'trammel db topst' topstalls
	offer 'trammel flame --va' --value
	offer 'trammel export --to call' callgrind
fi
if command -v zsh >/dev/null && ! zsh -n completion/_trammel; then
	echo "zsh: completion/_trammel makes no sense"
	failed=1
fi
exit $failed
