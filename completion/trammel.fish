# Completion of trammel's command lines for fish: what trammel's own help says.

function __trammel_commands
	trammel help 2>/dev/null | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __trammel_options
	set -l words (commandline -opc)
	trammel $words[2] --help 2>/dev/null |
		sed -n 's/^  \(-., \|    \)\(--[a-z-]*\)=\{0,1\}[A-Z]* *\(.*\)/\2\t\3/p'
end

function __trammel_measurements
	trammel run --help 2>/dev/null | sed -n 's/^  \([a-z][a-z:-]*\) *\(.*\)/\1\t\2/p'
end

function __trammel_is_word
	test (count (commandline -opc)) -eq $argv[1]
end

function __trammel_takes_profile
	set -l words (commandline -opc)
	test (count $words) -ge 2; and not contains -- $words[2] run attach top help tool label
end

complete -c trammel -f -n '__trammel_is_word 1' -a '(__trammel_commands)'
complete -c trammel -f -n '__fish_seen_subcommand_from help' -a '(__trammel_commands)'
complete -c trammel -n 'not __trammel_is_word 1; and string match -q -- "-*" (commandline -ct)' -a '(__trammel_options)'
complete -c trammel -s m -x -n '__fish_seen_subcommand_from run attach' -a '(__fish_complete_list , __trammel_measurements)'
complete -c trammel -s p -x -n '__fish_seen_subcommand_from attach top stacks' -a '(__fish_complete_pids)'
complete -c trammel -F -n __trammel_takes_profile -k -a '(__fish_complete_suffix .trm)'
