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

/* Whether a command is to be done elsewhere: by --host or --agent-command, of its command
 * line or of what else options come from. Then `ret_settings` has all of them, which the
 * caller frees by option_settings_deinit. `ret_error`: what is wrong with one. */
bool configured_is_far(const struct poptOption *table, unsigned int flags, int argc,
		       const char **argv, struct option_settings *ret_settings,
		       struct trm_error **ret_error);

/* The options of all commands that measure. */
const struct poptOption *configured_known(void);

#endif
