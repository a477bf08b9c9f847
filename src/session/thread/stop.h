/*
 * Stopping of threads, all threads of a scope at once. Every part of the tracer does it
 * by stop_begin(): when it attaches and leaves, when a part of the run begins or ends,
 * when code is changed that threads run, and when processes are let go.
 */
#ifndef TRAMMEL_SESSION_THREAD_STOP_H
#define TRAMMEL_SESSION_THREAD_STOP_H

#include "session/state/session.h"

/* Scope of a stop: the threads of `process`; if that is NULL, of all processes with
 * `space`; if both are, of all processes that are measured. */
struct stop_scope {
	const struct process *process;
	struct space *space;
};

/* Time that threads may take to stop. */
enum stop_patience {
	/* Some milliseconds, all of them together; longer the more often that was too
	 * short for the space. All threads must be running: one at its first stop, or
	 * in an exec, does not count as stopped. */
	STOP_BRIEFLY,
	/* As long as they can stop at all, and at most some seconds each. A thread
	 * that cannot stop is in a system call, and executes nothing that is counted.
	 * Threads that are not measured are left alone. */
	STOP_WHILE_POSSIBLE,
	/* A second each, including threads whose first stop is still to come. */
	STOP_A_SECOND,
};

/* Threads that stop_begin() stopped. */
struct stopped {
	struct VECTOR(struct thread *) threads;
	uint64_t since; /* clock_now_ns() */
};

/* Stops the threads of a scope that are not stopped yet. Returns whether all stopped.
 * Writes the threads that were asked to stop to *ret_stopped, which is for stop_end();
 * NULL: the caller resumes them in another way. */
bool stop_begin(struct session *session, struct stop_scope scope,
		enum stop_patience patience, struct stopped *ret_stopped);

/* Resumes the threads that stop_begin() stopped. */
void stop_end(struct session *session, struct stopped *stopped);

/* Resumes all stopped threads of a space except threads that wait for plans. */
void stop_go_on(struct session *session, const struct space *space);

/* Returns whether all threads of a space are stopped. */
bool stop_holds_all(const struct session *session, const struct space *space);

/* Returns whether a stop must wait because a program is starting: its loader's thread
 * is needed to instrument modules before any of them runs, and a thread that has just
 * been stopped cannot be used for that. A stop that is `late_ns` nanoseconds late
 * already waits for a second at most. */
bool stop_must_wait(const struct session *session, uint64_t late_ns);
#define STOP_WAIT_NS 1000000u /* until it is asked again */

/* Returns whether a stopped thread has an event to be acted on: any but signals, which
 * can wait. */
bool thread_has_event(const struct session *session, const struct thread *thread);

#endif
