/* The tables of threads and processes, and their banks. */
#ifndef TRAMMEL_SESSION_THREAD_THREADS_H
#define TRAMMEL_SESSION_THREAD_THREADS_H

#include "session/state/session.h"

void session_remove_thread(struct session *session, struct thread *thread);

/* Returns the stack pointer of a stopped thread, rounded down to a word; 0: it is
 * gone. */
uint64_t stack_pointer_of(const struct thread *thread);

void thread_resume(struct session *session, struct thread *thread, int signal);

/* Returns the signal that a thread is stopped with and whose event has not been acted
 * on; 0: there is none. */
int thread_pending_signal(struct session *session, const struct thread *thread);

/* Postpones the system call of a thread at its entry: the call is made when the thread
 * continues behind it. Returns whether that could be arranged. */
bool thread_put_off_call(const struct thread *thread, struct user_regs_struct *registers);

/* Stops a running thread at an instruction outside of the middle of a system call;
 * returns false if it is gone. */
bool thread_interrupt(struct session *session, struct thread *thread);

/* Stop a thread in two steps, for many threads at a time: ask each, then await its
 * stop. */
bool thread_ask_to_stop(const struct thread *thread);

bool thread_await_stop(struct session *session, struct thread *thread, int timeout_ms);

/* Notes whether a thread has to wait for plans; the time it waited counts as
 * instrumenting. */
void thread_defer(struct session *session, struct thread *thread, bool wait);

#endif
