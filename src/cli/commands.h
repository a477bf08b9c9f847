/*
 * The commands of trammel. Adding one: its file, its name here, and a row in main.c.
 */
#ifndef TRAMMEL_CLI_COMMANDS_H
#define TRAMMEL_CLI_COMMANDS_H

#include <stddef.h>

/* Exit statuses of all commands but `run`, which gives the program's own. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FINDING = 1, /* a negative answer */
	EXIT_USAGE = 2,
	EXIT_FAILED = 4,
};

/* A command: either options and a `run` function, or its own `main`. */
struct command {
	const char *name;
	const char *summary; /* a line for `trammel help` */
	const char *usage;   /* lines, the first one "Usage: ..." */
	void (*more)(void);  /* prints the rest of the help; or NULL */
	const struct poptOption *options;
	struct showing *given; /* where values of the options go */
	/* The most words that it takes, if the first is a profile: without it the newest
	 * one in the current folder is meant. 0: it is always to be named. */
	size_t profile_words;
	/* Runs the command. `ret_status` is set to EXIT_DONE before the call. */
	struct trm_error *(*run)(int *ret_status);
	/* Returns the exit status; argv[0] is the command's name. */
	int (*main)(int argc, const char **argv);
};

extern const struct command cmd_advise, cmd_annotate, cmd_attach, cmd_bbv, cmd_browse,
	cmd_channel, cmd_config, cmd_coverage, cmd_daemon, cmd_db, cmd_debug, cmd_diff,
	cmd_doctor, cmd_export, cmd_flame, cmd_graph, cmd_import, cmd_info, cmd_label,
	cmd_loops, cmd_merge, cmd_mix, cmd_page, cmd_paths, cmd_pbo, cmd_query,
	cmd_recover, cmd_report, cmd_run, cmd_script, cmd_stacks, cmd_summarize, cmd_tool,
	cmd_top, cmd_values;

#endif
