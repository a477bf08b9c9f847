/* Commands that measure, with options from everywhere: see settings.h. */
#ifndef TRAMMEL_CLI_OPTIONS_CONFIGURED_H
#define TRAMMEL_CLI_OPTIONS_CONFIGURED_H

#include "cli/options/settings.h"

/* A command that measures. */
struct configured_command {
	const char *name;               /* "run" */
	const struct poptOption *table; /* its options */
	unsigned int flags;             /* for poptGetContext */
	int (*main)(int argc, const char **argv);
	/* With --host or --agent-command. */
	int (*far)(const struct option_settings *settings);
};

/* Runs it with what all sources say. Returns its exit status. */
int configured_main(const struct configured_command *command, int argc,
		    const char **argv);

/* The options of all commands that measure. */
const struct poptOption *configured_known(void);

#endif
