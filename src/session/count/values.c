#include "session/count/values.h"

#include "base/clock.h"
#include "control/remote.h"
#include "session/position/stretches.h"
#include "session/thread/threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

/* After this time an interrupt that was not seen is not waited for any more: another stop
 * took it. */
#define LOST_NS 20000000

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
static bool is_running(const struct thread *thread)
{
	char path[64], text[8];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/syscall", thread->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	size = read(fd, text, sizeof(text));
	close(fd);
	return size < 1 || *text == 'r';
}

static bool may_ask(const struct thread *thread, uint64_t now)
{
	return thread->state == THREAD_RUNNING && !thread->stopped && !thread->leaving &&
	       (!thread->values.asked || now > thread->values.asked_ns + LOST_NS);
}

/* Interrupts up to `count` running threads of a process, in turn. Returns how many. */
static uint64_t ask_threads(struct session *session, const struct process *process,
			    uint64_t count, uint64_t now)
{
	const size_t all = session->all_threads.count;
	const size_t first = all ? session->values.turn++ % all : 0;
	uint64_t asked = 0;

	for (size_t i = 0; i < all && asked < count; i++) {
		struct thread *thread = session->all_threads.items[(first + i) % all];

		if (thread->process != process || !may_ask(thread, now))
			continue;
		stretches_look(session, thread);
		if (!is_running(thread) || !thread_ask_to_stop(thread))
			continue;
		thread->values.asked = true;
		thread->values.asked_ns = now;
		session->values.interrupts++;
		asked++;
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
