/* Measuring on other hosts: `trammel run --host`, `trammel attach --host`. */
#ifndef TRAMMEL_CLI_FAR_FAR_H
#define TRAMMEL_CLI_FAR_FAR_H

#include "cli/options/settings.h"

/* Runs settings->words on the hosts of --host, or behind --agent-command; their profiles
 * become one here. Returns the exit status, of the first program that did not succeed. */
int far_run(const struct option_settings *settings);

/* Measures the process of --pid there, until Ctrl-C, or as --for and the like say. */
int far_attach(const struct option_settings *settings);

#endif
