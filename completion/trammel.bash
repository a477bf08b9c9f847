# Completion of trammel's command lines for bash: what trammel's own help says. Needs no other
# completion package.

_trammel_commands() {
	trammel help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

_trammel_options() {
	trammel "$1" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*=\{0,1\}\).*/\2/p'
}

# The names that -m takes, with commas between them.
_trammel_measurements() {
	trammel run --help 2>/dev/null |
		sed -n 's/^  \([a-z][a-z:-]*\) .*/\1/p'
}

# What follows `--`, or the first word that is no option of run: a program and its words.
_trammel_program() {
	local at
	for ((at = 2; at < COMP_CWORD; at++)); do
		[ "${COMP_WORDS[at]}" != -- ] || return 0
	done
	return 1
}

_trammel() {
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words command
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "$(_trammel_commands)" -- "$current"))
		return
	fi
	command=${COMP_WORDS[1]}
	if [ "$command" = run ] && _trammel_program; then
		[ "$before" != -- ] || {
			COMPREPLY=($(compgen -c -- "$current"))
			return
		}
		COMPREPLY=($(compgen -f -- "$current"))
		return
	fi
	case $current in
	-*)
		words=$(_trammel_options "$command")
		COMPREPLY=($(compgen -W "$words" -- "$current"))
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
		return
		;;
	esac
	case $command,$before in
	run,-m | attach,-m)
		local done=
		[[ $current != *,* ]] || done=${current%,*},
		words=$(_trammel_measurements)
		COMPREPLY=($(compgen -P "$done" -W "$words" -- "${current##*,}"))
		;;
	help,*) COMPREPLY=($(compgen -W "$(_trammel_commands)" -- "$current")) ;;
	run,* | tool,* | label,*) COMPREPLY=($(compgen -f -- "$current")) ;;
	attach,-p | top,-p | stacks,-p) COMPREPLY=($(compgen -W "$(ps -eo pid=)" -- "$current")) ;;
	*)
		COMPREPLY=($(compgen -f -X '!*.trm' -- "$current") $(compgen -f -X '!*.cali' -- "$current")
			$(compgen -d -- "$current"))
		;;
	esac
}

complete -o filenames -F _trammel trammel
