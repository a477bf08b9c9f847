/* Stacks of debugged threads. */
#ifndef TRAMMEL_SESSION_DEBUG_BACKTRACE_H
#define TRAMMEL_SESSION_DEBUG_BACKTRACE_H

#include "session/debug/debug.h"

/* A frame of a thread's stack, the innermost first. */
struct debug_frame {
	uint64_t pc;  /* original */
	uint64_t cfa; /* where its return address lies, plus 8; 0: not known */
	bool exact;   /* pc is where it goes on; else the call lies in front of it */
};

/* Walks the stack of a thread that stands, by call-frame information; writes at most
 * `room` frames. `ret_count`: how many. */
struct trm_error *debug_backtrace(struct session *session, pid_t tid,
				  struct debug_frame *frames, size_t room,
				  size_t *ret_count);

#endif
