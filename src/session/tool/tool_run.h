/*
 * Running code of tools on a stopped thread of the program: the tracer waits until it has
 * come to something, and the thread is then as it was.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_RUN_H
#define TRAMMEL_SESSION_TOOL_TOOL_RUN_H

#include "session/tool/tool_calls.h"

/* What a thread was before it ran code of tools. */
struct tool_saved {
	struct user_regs_struct registers;
	uint64_t mask;
	size_t state_size; /* bytes */
	uint8_t *state;    /* of vectors and floating point, as NT_X86_XSTATE */
	bool left;         /* the thread has left the program's code */
	int stop_signal;   /* SIGSTOP that came meanwhile; 0: none */
};

/* What a thread has come to. */
struct tool_outcome {
	enum tool_event event;
	uint64_t result;  /* TOOL_BACK: of the routine */
	uint64_t address; /* TOOL_READY, TOOL_REFUSED: of the text or table */
	int signal;       /* TOOL_FAULTED */
	struct user_regs_struct registers; /* at its end */
};

/* Saves what a stopped thread is, which is to run code of tools. tool_run_end must
 * follow, unless it fails. */
struct trm_error *tool_run_begin(struct thread *thread, struct tool_saved *ret_saved);

/* Writes the way back by which a thread goes on as the program's if the tracer is dead,
 * as struct wire_tool_back below `top`. Returns its address in `ret_address`. */
struct trm_error *tool_run_write_back(const struct thread *thread,
				      const struct tool_saved *saved, uint64_t top,
				      uint64_t *ret_address);

/* Runs from `registers` until the thread has come to something, at most `timeout_ms`. An
 * error: the thread is gone. */
struct trm_error *tool_run(struct session *session, struct thread *thread,
			   struct tool_saved *saved,
			   const struct user_regs_struct *registers, int timeout_ms,
			   struct tool_outcome *ret_outcome);

/* Makes the thread what it was; it is still stopped. */
struct trm_error *tool_run_end(struct thread *thread, struct tool_saved *saved);

#endif
