# Completion of trammel's command lines for bash: what trammel's own help says. Needs no other
# completion package.

_trammel_commands() {
	trammel help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

# Those of config are those of run; agent has one, that its help does not list.
_trammel_options() {
	local command=$1
	case $command in
	agent) echo --stdio ;;
	config) command=run ;;
	esac
	trammel "$command" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*=\{0,1\}\).*/\2/p'
}

# The names that -m takes, with commas between them.
_trammel_measurements() {
	trammel run --help 2>/dev/null |
		sed -n 's/^  \([a-z][a-z:-]*\) .*/\1/p'
}

# The words that begin the lines of a list, as info, export, import and db have one.
_trammel_listed() {
	trammel "$@" 2>/dev/null | sed -n 's/^\([^ ].*\) ([a-z]*): .*/\1/p; s/^\([a-z][a-z-]*\)  .*/\1/p'
}

_trammel_verbs() {
	trammel db --help 2>/dev/null | sed -n '/^Verbs:/,$ s/^  \([a-z]*\) .*/\1/p'
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
	case $command in
	run | debug | top)
		if _trammel_program; then
			COMPREPLY=($(compgen -f -- "$current"))
			[ "$before" != -- ] || COMPREPLY=($(compgen -c -- "$current"))
			return
		fi
		;;
	esac
	case $current in
	-*)
		words=$(_trammel_options "$command")
		COMPREPLY=($(compgen -W "$words" -- "$current"))
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
		return
		;;
	esac
	case $command,$before in
	run,-m | attach,-m | debug,-m | config,-m)
		local done=
		[[ $current != *,* ]] || done=${current%,*},
		words=$(_trammel_measurements)
		COMPREPLY=($(compgen -P "$done" -W "$words" -- "${current##*,}"))
		;;
	help,*) COMPREPLY=($(compgen -W "$(_trammel_commands)" -- "$current")) ;;
	info,*) COMPREPLY=($(compgen -W "$(_trammel_listed info --list)" -- "$current")) ;;
	export,--to) COMPREPLY=($(compgen -W "$(_trammel_listed export --list)" -- "$current")) ;;
	import,--from) COMPREPLY=($(compgen -W "$(_trammel_listed import --list)" -- "$current")) ;;
	db,db) COMPREPLY=($(compgen -W "$(_trammel_verbs)" -- "$current")) ;;
	*,-p) COMPREPLY=($(compgen -W "$(ps -eo pid=)" -- "$current")) ;;
	agent,*) COMPREPLY=($(compgen -W --stdio -- "$current")) ;;
	run,* | debug,* | top,* | script,* | config,* | import,* | tool,* | label,*) COMPREPLY=($(compgen -f -- "$current")) ;;
	*)
		COMPREPLY=($(compgen -f -X '!*.trm' -- "$current") $(compgen -f -X '!*.cali' -- "$current")
			$(compgen -d -- "$current"))
		;;
	esac
}

complete -o filenames -F _trammel trammel
