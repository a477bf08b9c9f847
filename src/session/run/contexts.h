/*
 * The program's own context in a run: the library that it loads, the spools that the
 * library leaves, and what of them goes into the profile.
 */
#ifndef TRAMMEL_SESSION_RUN_CONTEXTS_H
#define TRAMMEL_SESSION_RUN_CONTEXTS_H

#include "session/run/run.h"

/* Makes the folder of the spools and finds the library; nothing if `what` is NULL. */
struct trm_error *contexts_prepare(struct session_context *context);
/* Removes the folder with all that is in it: once nobody writes to it, or reads it, any
 * more. */
void contexts_remove(const struct session_context *context);
void contexts_deinit(struct session_context *context);

/* In the child that becomes the program. */
void contexts_environment(const struct session_context *context);

/* Runs a program of which nothing but its own context is measured: nobody traces it. */
struct trm_error *contexts_run(const struct session_options *options, const char *elf,
			       struct run_outcome *outcome);

#endif
