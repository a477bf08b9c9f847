/*
 * sampler: how often a timer of the thread struck in each context. Its handler counts,
 * and nothing else (with call paths: and notes the path); the next snapshot takes what it
 * counted into the context in which the thread was since the last one. So no sample is
 * lost in the middle of an event, and none costs more than the signal.
 *
 * The timer runs with the processor time of the thread: a thread that waits is not
 * interrupted, so its system calls end as always. The kernel looks at such timers at its
 * own ticks (250 a second, say); the signal tells how many strikes it stands for
 * (timer_getoverrun(2)).
 *
 * Samples are of all time that goes by, as the peer's, unless SAMPLER_CLOCK=cpu is set:
 * periods in which no timer struck, since the thread waited, are told by the clock.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/log.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/config/configurations.h"
#include "runtime/events/fork.h"
#include "runtime/events/hooks.h"
#include "runtime/store/lock.h"
#include "runtime/store/state.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct service_metric metrics[] = {
	{"sampler.samples", SERVICE_DELTA, TRM_TYPE_UINT, false},
};

static struct {
	struct runtime_lock lock;
	int signal;   /* 0: none yet */
	bool elapsed; /* samples are of all time */
	double period_ns;
	struct timespec period;
} sampler;

static runtime_local struct {
	uint64_t samples;
	uint64_t since; /* when it began, by CLOCK_MONOTONIC; nanoseconds */
	int timer;      /* the kernel's number */
	bool begun, ended;
} own_timer;

static void sampler_strike(int signal, siginfo_t *info, void *context)
{
	uint64_t strikes = 1 + (uint64_t)info->si_overrun;

	(void)signal;
	if (info->si_code != SI_TIMER)
		return;
	own_timer.samples += strikes;
	if (paths_are_sampled())
		paths_sample(context, strikes);
}

/* In a child of fork, which has no timers. */
static void sampler_forget(void)
{
	own_timer.begun = false;
	paths_forget();
	sampler.lock.taken = 0;
}

/* The last signal that the program does not handle. */
static bool take_signal(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	struct sigaction old;

	action.sa_sigaction = sampler_strike;
	for (int i = SIGRTMAX; i >= SIGRTMIN; i--) {
		if (sigaction(i, NULL, &old) || old.sa_handler != SIG_DFL ||
		    sigaction(i, &action, NULL))
			continue;
		sampler.signal = i;
		return true;
	}
	return false;
}

static const char *sampler_start(struct channel *channel)
{
	const char *clock = settings_get(&channel->settings, "SAMPLER_CLOCK");
	uint64_t frequency = settings_number(&channel->settings, "SAMPLER_FREQUENCY",
					     SAMPLER_FREQUENCY_USUAL);
	bool cpu = clock && !strcmp(clock, "cpu"), taken = true;

	if (clock && !cpu && strcmp(clock, "wall") != 0)
		log_warn("'%s': SAMPLER_CLOCK '%s' cannot be had: there are wall "
			 "(taken) and cpu",
			 channel->name, clock);
	if (!frequency || frequency > 10000)
		return "SAMPLER_FREQUENCY is from 1 to 10000 a second";
	runtime_lock(&sampler.lock);
	if (!sampler.signal) {
		taken = take_signal() && fork_handle(NULL, NULL, sampler_forget);
		sampler.elapsed = !cpu;
		sampler.period_ns = 1e9 / (double)frequency;
		sampler.period = (struct timespec){
			.tv_sec = frequency == 1,
			.tv_nsec = frequency == 1 ? 0 : (long)(1000000000 / frequency)};
	}
	runtime_unlock(&sampler.lock);
	return taken ? NULL : "the program uses all real-time signals";
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Of this thread, which has begun. */
static uint64_t samples_so_far(void)
{
	if (sampler.elapsed && own_timer.begun)
		return (uint64_t)((double)(now_ns() - own_timer.since) /
				  sampler.period_ns);
	return *(volatile uint64_t *)&own_timer.samples;
}

/* At the first event of a thread. */
static void sampler_begin(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = sampler.signal};
	const struct itimerspec spec = {sampler.period, sampler.period};
	int saved = errno;

	own_timer.begun = true;
	own_timer.since = now_ns();
	if (runtime_sealed)
		return;
	if (paths_are_sampled())
		paths_begin_thread();
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event,
		    &own_timer.timer)) {
		own_timer.ended = true;
		errno = saved;
		return;
	}
	syscall(SYS_timer_settime, own_timer.timer, 0, &spec, NULL);
}

static void sampler_sample(struct channel_thread *own, const struct runtime_event *event,
			   uint64_t *ret_values)
{
	(void)own;
	(void)event;
	if (unlikely(!own_timer.begun) && !own_timer.ended)
		sampler_begin();
	ret_values[0] = samples_so_far();
}

/* Where no events make snapshots, what was counted is brought along by one of them. */
static void sampler_look(struct channel_thread *own, const struct runtime_event *event)
{
	uint64_t samples = samples_so_far();

	if (own->channel->triggers)
		return;
	if (unlikely(own->generation != own->channel->generation)) {
		channel_baseline(own->channel, own->thread);
		own->samples = samples;
	}
	if (samples == own->samples)
		return;
	own->samples = samples;
	channel_settle(own->channel, own->thread, event->before, event->now);
}

static void end_thread(void)
{
	if (own_timer.begun && !own_timer.ended && !runtime_sealed)
		syscall(SYS_timer_delete, own_timer.timer);
	own_timer.ended = true;
}

const struct service service_sampler = {
	.name = "sampler",
	.about = "how often a timer of each thread struck",
	.keys = "SAMPLER_FREQUENCY SAMPLER_CLOCK SAMPLER_PC",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = sampler_start,
	.sample = sampler_sample,
	.on_event = sampler_look,
	.end_thread = end_thread,
};
