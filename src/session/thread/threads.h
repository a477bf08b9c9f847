/* The tables of threads and processes, and their banks. */
#ifndef TRAMMEL_SESSION_THREAD_THREADS_H
#define TRAMMEL_SESSION_THREAD_THREADS_H

#include "session/state/session.h"

void session_remove_thread(struct session *session, struct thread *thread);

/* Of a stopped thread, rounded down to a word; 0: it is gone. */
uint64_t stack_pointer_of(const struct thread *thread);

void thread_resume(struct session *session, struct thread *thread, int signal);

/* At a call's entry: it is not made now, but when the thread goes on behind it. Whether
 * that could be said. */
bool thread_put_off_call(const struct thread *thread, struct user_regs_struct *registers);

/* Stops a running thread at an instruction outside of a system call's middle; false if it
 * is gone. */
bool thread_interrupt(struct session *session, struct thread *thread);

/* The same in two steps, for many threads at a time. */
bool thread_ask_to_stop(const struct thread *thread);

bool thread_await_stop(struct session *session, struct thread *thread, int timeout_ms);

/* Notes whether a thread has to wait for plans; what it waited counts as instrumenting.
 */
void thread_defer(struct session *session, struct thread *thread, bool wait);

#endif
