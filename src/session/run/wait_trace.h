/*
 * A run of which only the waits are measured (-m waits): the program is traced, and stops
 * at its system calls, but nothing of it is changed. See docs/design/waits.md.
 */
#ifndef TRAMMEL_SESSION_RUN_WAIT_TRACE_H
#define TRAMMEL_SESSION_RUN_WAIT_TRACE_H

#include "session/run/attach.h"
#include "session/run/run.h"

/* Traces the program until all processes have ended, and writes the profile. Returns the
 * tracer's exit status. */
int wait_trace(const struct session_options *options, const struct tracer_start *start);

/* Follows a running process until the window is over, a signal of session_attach comes,
 * or it ends; lets it go, and writes the profile. `command`: its words. */
struct trm_error *wait_attach(const struct session_options *options,
			      const struct attach_request *request,
			      const char *const *command);

#endif
