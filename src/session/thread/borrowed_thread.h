/*
 * Stopped threads that make system calls for the tracer. Their own work continues as if
 * nothing had happened, also when the tracer is killed in between.
 */
#ifndef TRAMMEL_SESSION_THREAD_BORROWED_THREAD_H
#define TRAMMEL_SESSION_THREAD_BORROWED_THREAD_H

#include "session/state/session.h"

/* Stopped thread that may make system calls for the tracer, and its state before. */
struct borrowed_thread {
	struct thread *thread;
	struct user_regs_struct registers; /* to be set when the loan ends */
};

/* Takes any thread of the halted space. Returns false if none can be used now. */
bool borrowed_thread_find(struct session *session, const struct space *space,
			  struct borrowed_thread *ret_loan);

/* Takes a thread, which is stopped; returns false if it cannot be used now. */
bool borrowed_thread_take(struct session *session, struct thread *thread,
			  struct borrowed_thread *ret_loan);

/* Gives a thread back as it was, with the registers of the loan; it is still stopped. */
bool borrowed_thread_end(struct session *session, struct borrowed_thread *borrowed);

/* Stops a thread, if it is not stopped, while `work` runs, and resumes it.
 * TRM_ERROR_GONE: it cannot be used now. */
struct trm_error *thread_borrow(struct session *session, struct thread *thread,
				struct trm_error *(*work)(void *context,
							  struct thread *thread),
				void *context);

/* Stops some thread of the space while `work` runs, and resumes it. */
struct trm_error *space_borrow(struct session *session, const struct space *space,
			       struct trm_error *(*work)(void *context,
							 struct thread *thread),
			       void *context);

#endif
