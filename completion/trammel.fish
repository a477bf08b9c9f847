# Completion of trammel's command lines for fish: what trammel's own help says.

function __trammel_commands
	trammel help 2>/dev/null | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __trammel_options
	set -l words (commandline -opc)
	set -l of $words[2]
	test $of = agent; and echo --stdio; and return
	test $of = config; and set of run
	trammel $of --help 2>/dev/null |
		sed -n 's/^  \(-., \|    \)\(--[a-z-]*\)\(=[^ ]*\)\{0,1\} *\(.*\)/\2\t\4/p'
end

function __trammel_terms
	trammel info --list 2>/dev/null | sed -n 's/^\([^ ].*\) (\([a-z]*\)): .*/\1\t\2/p'
end

function __trammel_formats
	set -l words (commandline -opc)
	trammel $words[2] --list 2>/dev/null | sed -n 's/^\([a-z][a-z-]*\)  .*/\1/p'
end

function __trammel_verbs
	trammel db --help 2>/dev/null | sed -n '/^Verbs:/,$ s/^  \([a-z]*\)\( [^ ]* *\| *\)\(.*\)/\1\t\3/p'
end

function __trammel_measurements
	trammel run --help 2>/dev/null | sed -n 's/^  \([a-z][a-z:-]*\) *\(.*\)/\1\t\2/p'
end

function __trammel_is_word
	test (count (commandline -opc)) -eq $argv[1]
end

function __trammel_takes_profile
	set -l words (commandline -opc)
	test (count $words) -ge 2; and not contains -- $words[2] run attach top help tool label info debug script config agent import
end

complete -c trammel -f -n '__trammel_is_word 1' -a '(__trammel_commands)'
complete -c trammel -f -n '__fish_seen_subcommand_from help' -a '(__trammel_commands)'
complete -c trammel -n 'not __trammel_is_word 1; and string match -q -- "-*" (commandline -ct)' -a '(__trammel_options)'
complete -c trammel -s m -x -n '__fish_seen_subcommand_from run attach debug config' -a '(__fish_complete_list , __trammel_measurements)'
complete -c trammel -s p -x -n '__fish_seen_subcommand_from attach top stacks debug channel' -a '(__fish_complete_pids)'
complete -c trammel -f -n '__fish_seen_subcommand_from info' -a '(__trammel_terms)'
complete -c trammel -f -n '__trammel_is_word 2; and __fish_seen_subcommand_from db' -a '(__trammel_verbs)'
complete -c trammel -l to -x -n '__fish_seen_subcommand_from export' -a '(__trammel_formats)'
complete -c trammel -l from -x -n '__fish_seen_subcommand_from import' -a '(__trammel_formats)'
complete -c trammel -F -n __trammel_takes_profile -k -a '(__fish_complete_suffix .trm)'
