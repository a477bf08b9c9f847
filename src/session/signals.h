/*
 * Where threads stand: moving them out of our code.
 */
#ifndef TRAMMEL_SESSION_SIGNALS_H
#define TRAMMEL_SESSION_SIGNALS_H

#include "session/session.h"

#include <signal.h>

/* Bytes behind a module's trampolines for the copies that finish_make makes. */
#define FINISH_SIZE 4096u

/* Signals that an instruction raises; when blocked they kill, so they never are. */
static const uint64_t signals_synchronous = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
					    1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1) |
					    1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);

struct finish_code {
	uint64_t start; /* run-time address */
	uint64_t next;  /* of the trampoline's instruction that comes after it */
	int signal;     /* to be sent again once the thread is on its way; 0: none */
};

enum settled {
	NOTHING_TO_SETTLE, /* the thread is in code of the program */
	SETTLED,           /* the registers are changed; the caller is to set them */
	SETTLED_RAN,       /* the same, and the thread ran on a little: the signal it was
			      stopped with is pending again */
	UNSETTLED,         /* it cannot be moved */
};

struct settling {
	bool fault;   /* the stop is a fault of the instruction at the PC */
	int signal;   /* that it is stopped with; 0: none */
	bool leaving; /* the text is the original before the thread goes on */
};

/* Moves a stopped thread's PC out of trampolines, hooks and patches. */
enum settled signals_settle(struct session *session, struct thread *thread,
			    const struct settling *how,
			    struct user_regs_struct *registers);

/* Whether an address lies in bytes that are patched, behind the first of them. */
bool signals_in_patch(const struct space *space, uint64_t rip);

/* Whether an operation failed; the error is dropped: the thread is gone then, and its
 * last event tells the rest. */
static inline bool remote_failed(struct trm_error *error)
{
	trm_error_destroy(error);
	return error != NULL;
}

/* Moves a stopped thread that is counting a call, and has not yet, to the entry of what
 * is called. */
void signals_leave_gate(const struct session *session, struct thread *thread);

void signals_deliver(struct session *session, struct thread *thread, int signal);

#endif
