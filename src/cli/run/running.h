/* Running a program measured, as `trammel run` does. */
#ifndef TRAMMEL_CLI_RUN_RUNNING_H
#define TRAMMEL_CLI_RUN_RUNNING_H

#include "cli/measuring.h"

/* Runs it; `database`: where the profile goes, too, or NULL. Returns the exit status.
 * Ends as the program did: a signal that killed it kills the caller. */
int running_measure(struct measuring *given, const char *database);

/* The same, with what is to be done when a signal of a crash comes: set by the main
 * program, as it belongs to a room above this one. */
extern int (*running_debugged)(struct measuring *given, const char *database);

/* Ends as a process with this status (as waitpid has it) ended: returns its exit status,
 * or dies by its signal, but for the core. */
int running_relay(int status);

#endif
