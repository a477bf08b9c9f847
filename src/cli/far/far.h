/* Measuring on other hosts: what `trammel run`, `attach`, `top`, `stacks` and `debug` do
 * with --host. */
#ifndef TRAMMEL_CLI_FAR_FAR_H
#define TRAMMEL_CLI_FAR_FAR_H

#include "base/error.h"
#include "cli/far/way.h"
#include "cli/options/settings.h"

#include <stdbool.h>
#include <stdint.h>

/* Runs settings->words on the hosts of --host, or behind --agent-command; their profiles
 * become one here. Returns the exit status, of the first program that did not succeed. */
int far_run(const struct option_settings *settings);

/* Measures the process of --pid there, until Ctrl-C, or as --for and the like say. */
int far_attach(const struct option_settings *settings);

/* Runs settings->words, or attaches to --pid, on one host, debugged from the prompt at
 * the other end of `console_fd`. Returns the exit status. */
int far_debug(const struct option_settings *settings, int console_fd);

/* Prints what the threads of a process do now, on each host. Returns the exit status. */
int far_stacks(const struct far_way *way, uint32_t pid, bool json);

#endif
