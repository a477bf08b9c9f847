#include "session/count/values.h"

#include "base/clock.h"
#include "control/processor.h"
#include "session/options/options.h"
#include "session/position/stretches.h"
#include "session/thread/threads.h"

#include <stdlib.h>
#include <time.h>

#define SECOND_NS 1000000000ull

/* After this time an interrupt that was not seen is not waited for any more: another stop
 * took it. */
#define LOST_NS 20000000

enum {
	STAY = 16,     /* threads that are asked on a processor before one elsewhere is */
	REST = 64,     /* looks at which nothing had run before the tracer leaves it */
	KEPT_MAX = 64, /* descriptors that are kept open */
};

/* Where nothing runs the time between looks is doubled so often. */
enum { IDLE_MAX = 3 };

/* Numbers by xorshift64*: S. Vigna, An experimental exploration of Marsaglia's xorshift
 * generators, scrambled (2016). */
static uint64_t draw_random(struct values_state *values)
{
	values->random ^= values->random >> 12;
	values->random ^= values->random << 25;
	values->random ^= values->random >> 27;
	return values->random * 0x2545f4914f6cdd1dull;
}

/* The time between two samples of one thread; for tests in microseconds of
 * TRAMMEL_VALUES_US. */
static uint64_t choose_period(const struct session *session)
{
	const uint64_t frequency = session->options->samples.rate.frequency;
	const char *text = getenv("TRAMMEL_VALUES_US");

	if (text && atoi(text) > 0)
		return (uint64_t)atoi(text) * 1000;
	return SECOND_NS / (frequency ? frequency : SAMPLE_FREQUENCY) *
	       session->options->values.every;
}

/* A twentieth more or less than the period, by chance. */
static uint64_t next_period(struct session *session)
{
	const uint64_t period = session->values.period_ns;
	const uint64_t part = period / 10 + 1;

	return period - part / 2 + draw_random(&session->values) % part;
}

void values_begin(struct session *session)
{
	if (!session->options->values.on)
		return;
	session->values.on = true;
	session->values.period_ns = choose_period(session);
	session->values.random = session->options->values.seed * 2 + 1;
	session->values.due_ns = clock_now_ns() + next_period(session);
}

/* The processor time of a process, by the clock that each has (clock_getcpuclockid). */
static uint64_t time_of(pid_t pid)
{
	const clockid_t clock = (clockid_t)(~(unsigned int)pid << 3 | 2);
	struct timespec time;

	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

/* Whether a thread executes code at this moment, or waits for a processor to. */
static bool is_running(struct session *session, struct thread *thread,
		       struct processor_use *ret_use)
{
	struct values_state *values = &session->values;
	int *kept = &thread->values.stat;
	const bool before = *kept;
	bool known;

	known = processor_read(thread->tid, before || values->kept < KEPT_MAX, kept,
			       ret_use);
	values->kept += (*kept != 0) - before;
	return known && ret_use->state == 'R';
}

/* Comes to a processor, to stop a thread there. A thread that lets nobody else have it
 * would keep the tracer from running. */
static void follow_thread(struct values_state *values, const struct processor_use *use)
{
	const bool here = values->processor == use->last + 1;

	if (here && use->shared)
		return;
	values->here = 0;
	values->processor = 0;
	if (use->shared && processor_follow(use->last))
		values->processor = use->last + 1;
	else
		processor_leave();
}

/* Whether a thread is to be left to the time at which the tracer is on its processor: to
 * move takes longer than a stop. */
static bool is_elsewhere(const struct values_state *values,
			 const struct processor_use *use)
{
	return values->processor && values->here < STAY &&
	       use->last + 1 != values->processor;
}

static bool may_ask(const struct thread *thread, uint64_t now)
{
	return thread->state == THREAD_RUNNING && !thread->stopped && !thread->leaving &&
	       (!thread->values.asked || now > thread->values.asked_ns + LOST_NS);
}

static bool ask_thread(struct session *session, struct thread *thread, uint64_t now)
{
	if (!thread_ask_to_stop(thread))
		return false;
	thread->values.asked = true;
	thread->values.asked_ns = now;
	session->values.interrupts++;
	session->values.here++;
	return true;
}

/* Interrupts up to `count` running threads of a process, in turn, but for those on other
 * processors if there are some on the tracer's. Returns how many. */
static uint64_t ask_threads(struct session *session, const struct process *process,
			    uint64_t count, uint64_t now)
{
	const size_t all = session->all_threads.count;
	const size_t first = all ? session->values.turn++ % all : 0;
	/* Else the tracer has work that it does beside the program, elsewhere. */
	const bool follows = stretches_are_alone(session);
	struct thread *other = NULL;
	struct processor_use use, of_other = {0};
	uint64_t asked = 0;

	for (size_t i = 0; i < all && asked < count; i++) {
		struct thread *thread = session->all_threads.items[(first + i) % all];

		if (thread->process != process || !may_ask(thread, now))
			continue;
		stretches_look(session, thread);
		/* It has not come through its last stretch yet: it waits to run. */
		if (thread->values.made && !thread->values.taken)
			continue;
		if (!is_running(session, thread, &use))
			continue;
		if (follows && is_elsewhere(&session->values, &use)) {
			of_other = other ? of_other : use;
			other = other ?: thread;
			continue;
		}
		if (follows)
			follow_thread(&session->values, &use);
		asked += ask_thread(session, thread, now);
	}
	if (other && !asked) {
		follow_thread(&session->values, &of_other);
		asked += ask_thread(session, other, now);
	}
	return asked;
}

/* A process's threads are due when it has used as much time as they may between two of
 * their samples. Returns whether it has run since the last look. */
static bool look_at(struct session *session, struct process *process, uint64_t now)
{
	const uint64_t period = session->values.period_ns, time = time_of(process->pid);
	const bool ran = time != process->cpu_ns;

	if (!process->space || process->space->bare || !time || !ran)
		return false;
	if (process->cpu_ns && time > process->cpu_ns)
		process->value_ns += time - process->cpu_ns;
	process->cpu_ns = time;
	if (process->value_ns < period)
		return true;
	process->value_ns -=
		period * ask_threads(session, process, process->value_ns / period, now);
	/* What could not be asked is not made up for. */
	if (process->value_ns > period * process->threads)
		process->value_ns = period * process->threads;
	return true;
}

uint64_t values_act(struct session *session)
{
	const uint64_t now = clock_now_ns();
	struct values_state *values = &session->values;
	bool ran = false;

	if (!values->on)
		return UINT64_MAX;
	if (now < values->due_ns)
		return values->due_ns - now;
	if (session->window.state == WINDOW_OPEN)
		vector_for_each (&session->all_processes, process)
			ran |= look_at(session, *process, now);
	values->idle = ran ? 0 : values->idle < IDLE_MAX ? values->idle + 1 : IDLE_MAX;
	values->rest = ran ? 0 : values->rest + 1;
	if (values->rest > REST && values->processor) {
		values->processor = 0;
		processor_leave();
	}
	/* What came late does not make all that follows later. */
	values->due_ns += next_period(session) << values->idle;
	if (values->due_ns < now)
		values->due_ns = now + next_period(session) / 4;
	return values->due_ns - now;
}

void values_see_interrupt(struct session *session, struct thread *thread)
{
	if (!thread->values.asked)
		return;
	thread->values.asked = false;
	if (session->values.on)
		stretches_enter(session, thread);
}
