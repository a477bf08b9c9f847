/* The interface: trammel/upcall.h. */
#include "runtime/events/seccomp_guard.h"
#include "runtime/upcall/defer.h"
#include "runtime/upcall/kernel.h"
#include "runtime/upcall/signal.h"
#include "runtime/upcall/source.h"
#include "runtime/upcall/strike.h"
#include "runtime/upcall/threads.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum { DOORBELL_NS = 1000000 };

static const struct trm_upcall_event usual_event = {"cpu-clock", 1000000};
static trm_upcall_id last_id;

static struct upcall_user *find_user(trm_upcall_id id)
{
	for (uint32_t i = 0; id && i < TRM_UPCALL_USERS_MAX; i++)
		if (upcalls.users[i].state != UPCALL_FREE && upcalls.users[i].id == id)
			return &upcalls.users[i];
	return NULL;
}

static uint32_t free_source(void)
{
	uint32_t at = 0;

	while (at < UPCALL_SOURCES && upcalls.sources[at].taken)
		at++;
	return at;
}

static void free_sources(uint32_t user)
{
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		if (upcalls.sources[i].taken && upcalls.sources[i].user == user)
			upcalls.sources[i].taken = false;
}

/* Tries the event in this thread, so that who asked for it hears why it cannot be had. */
static const char *add_source(const struct trm_upcall_event *event, uint32_t number,
			      uint32_t user)
{
	uint32_t flags = upcalls.users[user].options.flags;
	struct upcall_source source;
	struct upcall_own trial = {0};
	const char *reason = upcall_source_find(event, flags, &source);
	uint32_t at = free_source();

	if (!reason && at == UPCALL_SOURCES)
		reason = "there are too many events";
	if (!reason)
		reason = upcall_source_open(&source, kernel_thread(), &trial);
	if (reason)
		return reason;
	source.by_timer = trial.timer != 0;
	upcall_source_close(&trial);
	source.event = number;
	source.user = user;
	upcalls.sources[at] = source;
	return NULL;
}

static const char *add_sources(const struct trm_upcall_event *events, uint32_t count,
			       uint32_t user)
{
	static const struct trm_upcall_event doorbell = {"cpu-clock", DOORBELL_NS};
	bool any_clock = false, any_in_kernel = false;

	for (uint32_t i = 0; i < count; i++) {
		const char *reason = add_source(&events[i], i, user);

		if (reason)
			return reason;
	}
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++) {
		const struct upcall_source *source = &upcalls.sources[i];

		if (!source->taken || source->user != user)
			continue;
		any_clock |= source->is_clock;
		any_in_kernel |= source->in_kernel;
	}
	return any_in_kernel && !any_clock ? add_source(&doorbell, UPCALL_DOORBELL, user)
					   : NULL;
}

/* In a program that was built for an earlier library the struct is shorter. */
static const char *read_options(const struct trm_upcall_options *options,
				struct trm_upcall_options *ret_options)
{
	const uint32_t known = TRM_UPCALL_NESTED | TRM_UPCALL_FOLLOW_FORK |
			       TRM_UPCALL_SIGNAL_STACK | TRM_UPCALL_TIMERS;
	size_t size = options->size;

	memset(ret_options, 0, sizeof(*ret_options));
	if (size < offsetof(struct trm_upcall_options, data) || size > sizeof(*options))
		return "the options' size is not that of this library's struct";
	memcpy(ret_options, options, size);
	if (!ret_options->handler)
		return "there is no handler";
	if (ret_options->flags & ~known)
		return "there is a flag that this library does not know";
	if (!ret_options->events) {
		ret_options->events = &usual_event;
		ret_options->event_count = 1;
	}
	if (!ret_options->event_count || ret_options->event_count > TRM_UPCALL_EVENTS_MAX)
		return "there are no events, or more than TRM_UPCALL_EVENTS_MAX";
	if (!ret_options->every)
		ret_options->every = 1;
	return NULL;
}

static const char *begin_user(struct upcall_user *user,
			      const struct trm_upcall_options *options)
{
	uint32_t at = (uint32_t)(user - upcalls.users);
	const char *reason;

	user->options = *options;
	reason = add_sources(options->events, options->event_count, at);
	if (reason) {
		free_sources(at);
		return reason;
	}
	user->options.events = NULL;
	user->running = 0;
	user->id = ++last_id;
	__atomic_store_n(&user->state, UPCALL_ACTIVE, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&upcalls.active, 1, __ATOMIC_SEQ_CST);
	upcall_threads_arm();
	return NULL;
}

static const char *enable_locked(const struct trm_upcall_options *options,
				 trm_upcall_id *ret_id)
{
	for (uint32_t i = 0; i < TRM_UPCALL_USERS_MAX; i++) {
		const char *reason;

		if (upcalls.users[i].state != UPCALL_FREE)
			continue;
		reason = begin_user(&upcalls.users[i], options);
		if (!reason && ret_id)
			*ret_id = upcalls.users[i].id;
		return reason;
	}
	return "there are TRM_UPCALL_USERS_MAX already";
}

PUBLIC const char *trm_upcall_enable(const struct trm_upcall_options *options,
				     trm_upcall_id *ret_id)
{
	struct trm_upcall_options own;
	const char *reason = read_options(options, &own);
	int saved = errno;

	if (reason)
		return reason;
	if (runtime_sealed)
		return "the program has installed a filter of system calls";
	seccomp_guard_init();
	if (!upcall_threads_watch() || !upcall_signal_take(upcall_strike))
		return "the C library cannot do what it needs";
	upcall_threads_check_process();
	upcall_strike_watch_jumps();
	upcall_defer_init();
	runtime_lock(&upcalls.lock);
	reason = enable_locked(&own, ret_id);
	runtime_unlock(&upcalls.lock);
	errno = saved;
	return reason;
}

/* Its upcalls of this thread, which do not end before this returns. */
static uint32_t own_upcalls(const struct upcall_user *user)
{
	const struct upcall_thread *thread = upcall_threads_known();
	uint32_t count = 0;

	for (const struct upcall_frame *at = thread ? thread->top : NULL; at;
	     at = at->previous)
		count += at->user == (uint32_t)(user - upcalls.users);
	return count;
}

PUBLIC bool trm_upcall_disable(trm_upcall_id id)
{
	struct upcall_user *user;
	uint32_t own;

	upcall_threads_check_process();
	runtime_lock(&upcalls.lock);
	user = find_user(id);
	if (user && user->state == UPCALL_ACTIVE)
		__atomic_sub_fetch(&upcalls.active, 1, __ATOMIC_SEQ_CST);
	if (user) {
		__atomic_store_n(&user->state, UPCALL_STOPPED, __ATOMIC_SEQ_CST);
		user->id = 0;
		for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
			if (upcalls.sources[i].taken &&
			    &upcalls.users[upcalls.sources[i].user] == user)
				upcall_threads_disarm(i);
	}
	runtime_unlock(&upcalls.lock);
	if (!user)
		return false;
	own = own_upcalls(user);
	while (__atomic_load_n(&user->running, __ATOMIC_SEQ_CST) > own)
		sched_yield();
	runtime_lock(&upcalls.lock);
	free_sources((uint32_t)(user - upcalls.users));
	user->state = UPCALL_FREE;
	runtime_unlock(&upcalls.lock);
	return true;
}

static void add_to_statistics(struct trm_upcall_statistics *to,
			      const struct upcall_source *source,
			      const struct upcall_counts *counts)
{
	if (source->event == UPCALL_DOORBELL)
		return;
	to->interrupts += counts->interrupts;
	to->upcalls += counts->upcalls;
	to->skipped_disabled += counts->disabled;
	to->skipped_nested += counts->nested;
	to->lost += counts->lost;
	to->left += counts->left;
	to->handler_ns += counts->ns;
	to->events[source->event].interrupts += counts->interrupts;
	to->events[source->event].upcalls += counts->upcalls;
}

static void sum_source(struct trm_upcall_statistics *to, uint32_t at)
{
	const struct upcall_source *source = &upcalls.sources[at];

	add_to_statistics(to, source, &source->ended);
	for (const struct upcall_thread *thread = upcalls.threads; thread;
	     thread = thread->next) {
		const struct upcall_own *own = &thread->own[at];

		if (!thread->tid || !(thread->armed & 1u << at))
			continue;
		add_to_statistics(to, source, &own->counts);
		if (source->event != UPCALL_DOORBELL)
			to->waiting += upcall_source_waiting(own);
	}
	if (source->event == UPCALL_DOORBELL)
		return;
	to->events[source->event].name = source->name;
	to->events[source->event].source = source->by_timer ? "timer" : "perf";
	to->events[source->event].period = source->attributes.sample_period;
}

static void sum_user(const struct upcall_user *user, struct trm_upcall_statistics *to)
{
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		if (upcalls.sources[i].taken &&
		    &upcalls.users[upcalls.sources[i].user] == user)
			sum_source(to, i);
	for (const struct upcall_thread *at = upcalls.threads; at; at = at->next)
		to->threads += at->tid && at->armed;
	to->event_count = user->options.event_count;
	to->threads_missed = upcalls.missed;
	to->signal = UPCALL_SIGNAL;
	to->deferred = upcalls.deferred;
	to->deferred_run = upcalls.deferred_run;
	to->deferred_lost = upcalls.deferred_lost;
	to->trouble = upcalls.trouble;
	if (!upcall_signal_is_ours())
		to->trouble =
			"the program has put another handler of the signal in place "
			"of the library's";
}

PUBLIC bool trm_upcall_statistics(trm_upcall_id id,
				  struct trm_upcall_statistics *statistics)
{
	struct trm_upcall_statistics sums = {0};
	const struct upcall_user *user;

	if (statistics->size > sizeof(sums))
		return false;
	upcall_threads_check_process();
	runtime_lock(&upcalls.lock);
	upcall_threads_reap();
	user = find_user(id);
	if (user)
		sum_user(user, &sums);
	runtime_unlock(&upcalls.lock);
	sums.size = statistics->size;
	if (user)
		memcpy(statistics, &sums, statistics->size);
	return user != NULL;
}
