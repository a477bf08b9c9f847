/*
 * A scratch process: a fork of the tracer in which tools are loaded that are meant for
 * another process. What they are then is copied there. So a tool that cannot
 * be loaded, or a tracer that is killed meanwhile, is nothing to that process.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_SCRATCH_H
#define TRAMMEL_SESSION_TOOL_TOOL_SCRATCH_H

#include "session/state/session.h"
#include "session/state/space.h"

/* It stands for another process: all but its memory and its one thread are that one's. */
struct tool_scratch {
	struct thread thread;
	struct process process;
	struct space space;
};

/* Makes a scratch process for a process, stopped. tool_scratch_end ends it, unless this
 * fails. */
struct trm_error *tool_scratch_begin(struct session *session,
				     const struct process *process,
				     struct tool_scratch *ret_scratch);

/* Has the thread of a scratch process make system calls. */
struct trm_error *tool_scratch_run(struct session *session, const struct thread *thread,
				   struct wire_batch *batch);

/* Moves the kernel's code in a scratch process to where the other process has it. Returns
 * false if it stays elsewhere: then it cannot be called there. */
bool tool_scratch_has_vdso(struct session *session, const struct thread *thread);

/* Copies all that tools have in the scratch process to the process that it stands for, of
 * which `thread` is stopped outside of a system call. The tools are then that one's. */
struct trm_error *tool_scratch_copy(struct session *session, struct tool_scratch *scratch,
				    struct thread *thread);

/* Ends the process, and frees what is still its own. */
void tool_scratch_end(struct session *session, struct tool_scratch *scratch);

#endif
