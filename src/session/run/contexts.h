/*
 * The program's own context in a run: the library that it loads, the spools that the
 * library leaves, and their part of the profile.
 */
#ifndef TRAMMEL_SESSION_RUN_CONTEXTS_H
#define TRAMMEL_SESSION_RUN_CONTEXTS_H

#include "session/run/run.h"

/* Makes the folder of the spools and finds the library; does nothing if `what` is
 * NULL. */
struct trm_error *contexts_prepare(struct session_context *context);
/* Removes the folder with all its contents, once no process writes to it or reads it
 * any more. */
void contexts_remove(const struct session_context *context);
void contexts_deinit(struct session_context *context);

/* Sets the environment for the library, in the child that becomes the program. */
void contexts_environment(const struct session_context *context);

/* Runs a program untraced and measures nothing but its own context. */
struct trm_error *contexts_run(const struct session_options *options, const char *elf,
			       struct run_outcome *outcome);

#endif
