#include "session/thread/stop.h"

#include "base/clock.h"
#include "control/remote.h"
#include "session/thread/threads.h"

/* STOP_BRIEFLY: at first, and at most 64 times that. */
#define BRIEFLY_MS    5
#define TRIES_EACH    4
#define DOUBLINGS_MAX 6

/* STOP_WHILE_POSSIBLE: for a thread that waits for a processor, and how often it is
 * looked whether it can stop. */
#define PATIENCE_NS 5000000000u
#define LOOK_MS     50

#define SECOND_MS 1000

/* How late something may be for programs that start. */
#define LATEST_NS 1000000000u

static bool is_measured(const struct process *process)
{
	return process->space && process->space->family && !process->image->ended;
}

static bool is_in(const struct thread *thread, const struct stop_scope *scope)
{
	const struct process *process = thread->process;

	if (!process)
		return false;
	if (scope->process)
		return process == scope->process;
	return scope->space ? process->space == scope->space : is_measured(process);
}

/* Threads that wait for a processor stop when they get one. On a busy machine that takes
 * its time, so each few tries wait longer. */
static int briefly_ms(const struct space *space)
{
	unsigned int doublings = space->halts / TRIES_EACH;

	return BRIEFLY_MS << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

/* Asks a thread to stop that is not stopped. False if it will not, as far as that is
 * known now. */
static bool ask_to_stop(const struct thread *thread, enum stop_patience patience)
{
	if (patience == STOP_A_SECOND && thread->state == THREAD_NEW)
		return true; /* its first stop comes by itself */
	if (patience != STOP_A_SECOND && thread->state != THREAD_RUNNING)
		return false;
	if (patience == STOP_WHILE_POSSIBLE && !is_measured(thread->process))
		return false;
	return thread_ask_to_stop(thread);
}

/* Whether a thread can run, or be woken for a stop: a parent after vfork cannot. */
static bool can_stop(pid_t tid)
{
	unsigned int flags;
	char state = remote_state(tid, &flags);

	return state == 'R' || state == 'S' || state == 't';
}

static bool await_while_possible(struct session *session, struct thread *thread)
{
	uint64_t start = clock_now_ns();
	struct event event;

	while (!thread_await_stop(session, thread, LOOK_MS))
		if (event_peek(&session->queue, thread->tid, &event) || /* its end */
		    !can_stop(thread->tid) || clock_now_ns() - start > PATIENCE_NS)
			return false;
	return true;
}

static bool await_a_second(struct session *session, struct thread *thread)
{
	struct event event;

	if (thread->state != THREAD_NEW)
		return thread_await_stop(session, thread, SECOND_MS);
	thread->stopped =
		event_wait_thread(&session->queue, thread->tid, SECOND_MS, &event);
	return thread->stopped;
}

/* `end`: of STOP_BRIEFLY, by clock_now_ns(). */
static bool await_stop(struct session *session, struct thread *thread,
		       enum stop_patience patience, uint64_t end)
{
	uint64_t now;

	if (patience == STOP_WHILE_POSSIBLE)
		return await_while_possible(session, thread);
	if (patience == STOP_A_SECOND)
		return await_a_second(session, thread);
	now = clock_now_ns();
	return thread_await_stop(session, thread,
				 now < end ? (int)((end - now) / 1000000) : 0);
}

bool stop_begin(struct session *session, struct stop_scope scope,
		enum stop_patience patience, struct stopped *ret_stopped)
{
	struct stopped stopped = {.since = clock_now_ns()};
	uint64_t end = stopped.since;
	bool all = true;

	if (patience == STOP_BRIEFLY)
		end += (uint64_t)briefly_ms(scope.space) * 1000000;
	vector_for_each (&session->all_threads, thread) {
		if (!is_in(*thread, &scope) || (*thread)->stopped)
			continue;
		if (ask_to_stop(*thread, patience))
			vector_push(&stopped.threads, *thread);
		else
			all = false;
	}
	vector_for_each (&stopped.threads, thread)
		all &= await_stop(session, *thread, patience, end);
	if (patience == STOP_BRIEFLY)
		scope.space->halts = all ? 0 : scope.space->halts + 1;
	if (ret_stopped)
		*ret_stopped = stopped;
	else
		vector_deinit(&stopped.threads);
	return all;
}

void stop_end(struct session *session, struct stopped *stopped)
{
	uint64_t stood;

	vector_for_each (&stopped->threads, thread)
		if ((*thread)->stopped)
			thread_resume(session, *thread, 0);
	stood = clock_now_ns() - stopped->since;
	if (stopped->threads.count && stood > session->stop_ns)
		session->stop_ns = stood;
	vector_deinit(&stopped->threads);
}

void stop_go_on(struct session *session, const struct space *space)
{
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process && thread->process->space == space &&
		    thread->stopped && thread->state == THREAD_RUNNING &&
		    !thread->deferred_since)
			thread_resume(session, thread, 0);
	}
}

bool stop_holds_all(const struct session *session, const struct space *space)
{
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->space == space &&
		    !(*thread)->stopped)
			return false;
	return true;
}

bool stop_must_wait(const struct session *session, uint64_t late_ns)
{
	if (late_ns >= LATEST_NS)
		return false;
	vector_for_each (&session->all_processes, process)
		if ((*process)->space && (*process)->space->starting)
			return true;
	return false;
}

bool thread_has_event(const struct session *session, const struct thread *thread)
{
	struct event event;

	return thread->held.si_signo ||
	       (thread->event_pending &&
		event_peek(&session->queue, thread->tid, &event) &&
		event.kind != EVENT_SIGNAL && event.kind != EVENT_GROUP_STOP);
}
