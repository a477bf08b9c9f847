/*
 * How tools come into a process: they are loaded in a scratch process and copied from
 * there, so that the process never runs code that needs the tracer alive.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_ENTER_H
#define TRAMMEL_SESSION_TOOL_TOOL_ENTER_H

#include "session/tool/tool_scratch.h"

/* Loads the tools of the options for a process, and makes their threads for its threads.
 * tool_scratch_end ends what this returns, unless it fails: a tool cannot be loaded. */
struct trm_error *tool_enter_load(struct session *session, const struct process *process,
				  struct tool_scratch *ret_scratch);

/* Copies them to the process, of which `thread` is stopped outside of a system call, if
 * they are not there yet, and calls their routines for the start. */
struct trm_error *tool_enter_move(struct session *session, struct tool_scratch *scratch,
				  struct thread *thread);

#endif
