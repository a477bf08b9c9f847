/*
 * Stopped threads that make system calls for us. What a thread was doing goes on as if
 * nothing had happened, also when the tracer is killed in between.
 */
#ifndef TRAMMEL_SESSION_THREAD_BORROWED_THREAD_H
#define TRAMMEL_SESSION_THREAD_BORROWED_THREAD_H

#include "session/state/session.h"

/* A stopped thread that may make system calls for us, and what it was before. */
struct borrowed_thread {
	struct thread *thread;
	struct user_regs_struct registers; /* to be set when the loan ends */
};

/* Takes a thread that stop_begin stopped: registers and a system call that it is in are
 * put by. False if it cannot be used now. */
bool borrowed_thread_begin(struct session *session, struct thread *thread,
			   struct borrowed_thread *ret_loan);

/* Any thread of the halted space. */
bool borrowed_thread_find(struct session *session, const struct space *space,
			  struct borrowed_thread *ret_loan);

/* The thread stands as it did, with the registers of the loan; it is still stopped. */
bool borrowed_thread_end(struct session *session, struct borrowed_thread *borrowed);

/* Stops some thread of the space for the time of `work`, and lets it go on. */
struct trm_error *space_borrow(struct session *session, const struct space *space,
			       struct trm_error *(*work)(void *context,
							 struct thread *thread),
			       void *context);

#endif
