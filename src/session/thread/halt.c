#include "session/thread/halt.h"

#include "base/clock.h"
#include "session/thread/threads.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* How long all threads of a space may take to stop: at first, and at most 64 times that.
 */
#define HALT_MS       5
#define TRIES_EACH    4
#define DOUBLINGS_MAX 6

static bool is_in(const struct thread *thread, const struct space *space)
{
	return thread->process && thread->process->space == space;
}

/* Threads that wait for a processor stop when they get one. On a busy machine that takes
 * its time, so each few tries wait longer. */
static int patience_ms(const struct space *space)
{
	unsigned int doublings = space->halts / TRIES_EACH;

	return HALT_MS << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

bool space_halt(struct session *session, struct space *space)
{
	int timeout_ms = patience_ms(space);
	uint64_t end = clock_now_ns() + (uint64_t)timeout_ms * 1000000;
	bool all = true;

	vector_for_each (&session->all_threads, item) {
		struct thread *thread = *item;

		if (!is_in(thread, space) || thread->stopped)
			continue;
		if (thread->state == THREAD_RUNNING)
			all &= thread_ask_to_stop(thread);
		else
			all = false; /* its first stop, or its exec, comes first */
	}
	vector_for_each (&session->all_threads, item) {
		struct thread *thread = *item;
		uint64_t now = clock_now_ns();
		int left = now < end ? (int)((end - now) / 1000000) : 0;

		if (is_in(thread, space) && !thread->stopped &&
		    thread->state == THREAD_RUNNING)
			all &= thread_await_stop(session, thread, left);
	}
	space->halts = all ? 0 : space->halts + 1;
	return all;
}

void space_go(struct session *session, const struct space *space)
{
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (is_in(thread, space) && thread->stopped &&
		    thread->state == THREAD_RUNNING && !thread->deferred_since)
			thread_resume(session, thread, 0);
	}
}

bool thread_has_event(const struct session *session, const struct thread *thread)
{
	struct event event;

	return thread->held.si_signo ||
	       (thread->event_pending &&
		event_peek(&session->queue, thread->tid, &event) &&
		event.kind != EVENT_SIGNAL && event.kind != EVENT_GROUP_STOP);
}
