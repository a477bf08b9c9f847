/*
 * Stopped threads that make system calls for us. What a thread was doing goes on as if
 * nothing had happened, also when the tracer is killed in between.
 */
#ifndef TRAMMEL_SESSION_THREAD_LOAN_H
#define TRAMMEL_SESSION_THREAD_LOAN_H

#include "session/state/session.h"

/* A stopped thread that may make system calls for us, and what it was before. */
struct loan {
	struct thread *thread;
	struct user_regs_struct registers; /* to be set when the loan ends */
};

/* Takes a thread that stop_begin stopped: registers and a system call that it is in are
 * put by. False if it cannot be used now. */
bool loan_begin(struct session *session, struct thread *thread, struct loan *ret_loan);

/* Any thread of the halted space. */
bool loan_find(struct session *session, const struct space *space, struct loan *ret_loan);

/* The thread stands as it did, with the registers of the loan; it is still stopped. */
bool loan_end(struct session *session, struct loan *loan);

/* Stops some thread of the space for the time of `work`, and lets it go on. */
struct trm_error *space_borrow(struct session *session, const struct space *space,
			       struct trm_error *(*work)(void *context,
							 struct thread *thread),
			       void *context);

#endif
