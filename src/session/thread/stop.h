/*
 * Stopping threads, all those of a scope at once. Every part of the tracer does it by
 * stop_begin(): when it attaches and leaves, when a part of the run begins or ends, when
 * code is changed that threads run, and when processes are let go.
 */
#ifndef TRAMMEL_SESSION_THREAD_STOP_H
#define TRAMMEL_SESSION_THREAD_STOP_H

#include "session/state/session.h"

/* Whose threads are stopped: those of `process`; if that is NULL, of all processes with
 * `space`; if both are, of all processes that are measured. */
struct stop_scope {
	const struct process *process;
	struct space *space;
};

/* How long threads may take. */
enum stop_patience {
	/* Some milliseconds, all of them together; the longer the more often that was not
	 * enough for the space. All must run: one at its first stop, or in an exec, does
	 * not count as stopped. */
	STOP_BRIEFLY,
	/* As long as they can stop at all, and no longer than some seconds each. One that
	 * cannot is in a system call, and executes nothing that is counted. Threads that
	 * are not measured are left alone. */
	STOP_WHILE_POSSIBLE,
	/* A second each, also those whose first stop is still to come. */
	STOP_A_SECOND,
};

/* Threads that stop_begin() stopped. */
struct stopped {
	struct VECTOR(struct thread *) threads;
	uint64_t since; /* clock_now_ns() */
};

/* Stops the threads of a scope, as far as they are not stopped. Whether all did. Those
 * that were asked to are in *ret_stopped, which is for stop_end(); NULL: the caller has
 * them go on in another way. */
bool stop_begin(struct session *session, struct stop_scope scope,
		enum stop_patience patience, struct stopped *ret_stopped);

/* Has the threads go on that stop_begin() stopped. */
void stop_end(struct session *session, struct stopped *stopped);

/* Has all stopped threads of a space go on, but those that wait for plans. */
void stop_go_on(struct session *session, const struct space *space);

/* Whether all threads of a space are stopped. */
bool stop_holds_all(const struct session *session, const struct space *space);

/* Whether a program starts: its loader's thread is needed to instrument modules before
 * any of them runs, and one that has just been stopped cannot be used for that. What is
 * `late_ns` late by now waits for a second at most. */
bool stop_must_wait(const struct session *session, uint64_t late_ns);
#define STOP_WAIT_NS 1000000u /* until it is asked again */

/* Whether a stopped thread has an event to be acted on: any but signals, which can wait.
 */
bool thread_has_event(const struct session *session, const struct thread *thread);

#endif
