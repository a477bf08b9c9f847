/*
 * perf: what the kernel and the processor count for a thread, perf_event_open(2).
 * Counters are opened at the first event of each thread; each is read by a system call an
 * event. (In groups, which are read at once, some kernels do not count page faults behind
 * task-clock.) What a machine has not is said, and the rest is counted.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/fork.h"
#include "runtime/events/hooks.h"
#include "base/kernel_events.h"
#include "base/pfm.h"
#include "runtime/store/lock.h"
#include "runtime/store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS_MAX = 8, FIRST_DESCRIPTOR = 1000 };

/* Those that are counted, of the first channel that asked; their metrics' names. */
static struct {
	struct runtime_lock lock;
	struct perf_event_attr events[EVENTS_MAX];
	size_t count;
	bool user; /* the kernel may not be looked at */
	char names[EVENTS_MAX][96];
} perf;

static struct service_metric metrics[EVENTS_MAX];

static runtime_local struct {
	int descriptors[EVENTS_MAX];
	uint64_t values[EVENTS_MAX]; /* as last read */
	bool begun, ended;
} own_counters;

static int open_event(const struct perf_event_attr *event, bool user)
{
	struct perf_event_attr attributes = *event;

	attributes.exclude_kernel |= user;
	attributes.exclude_hv |= user;
	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Why an event cannot be had; NULL: it can. The kernel's own part is asked for first. */
static const char *perf_probe(const struct perf_event_attr *event)
{
	int descriptor = open_event(event, perf.user);
	const char *refused;

	if (descriptor < 0 && (errno == EACCES || errno == EPERM) && !perf.user) {
		descriptor = open_event(event, true);
		perf.user |= descriptor >= 0;
	}
	if (descriptor >= 0) {
		close(descriptor);
		return NULL;
	}
	refused = kernel_event_refused(event->type, errno);
	return refused ? refused : strerror(errno);
}

/* NULL, or why there is none. */
static const char *perf_find(const char *name, struct perf_event_attr *ret_event)
{
	const struct kernel_event *known = kernel_event_find(name);

	if (known) {
		*ret_event = (struct perf_event_attr){.type = known->type,
						      .size = sizeof(*ret_event),
						      .config = known->config};
		return NULL;
	}
	return pfm_find(name, ret_event);
}

/* Events by the names of LLNL's Caliper, whose metrics are called as there. */
static const struct source {
	const char *key, *prefix;
} sources[] = {
	{"PERF_EVENTS", "perf."},
	{"PAPI_COUNTERS", "papi."},
	{"LIBPFM_EVENTS", "libpfm.counter."},
};

static void perf_add(const struct channel *channel, const struct source *source,
		     const char *name)
{
	struct perf_event_attr event;
	const char *unknown = perf_find(name, &event);
	const char *near = unknown ? settings_nearest(name, kernel_event_name) : NULL;
	const char *reason = unknown ? unknown : perf_probe(&event);

	if (reason) {
		log_warn("'%s': %s '%s' cannot be had: %s%s%s%s", channel->name,
			 source->key, name, reason, near ? "; did you mean '" : "",
			 near ? near : "", near ? "'?" : "");
		return;
	}
	if (perf.count == EVENTS_MAX)
		return;
	snprintf(perf.names[perf.count], sizeof(perf.names[0]), "%s%s", source->prefix,
		 name);
	metrics[perf.count] = (struct service_metric){
		perf.names[perf.count], SERVICE_DELTA, TRM_TYPE_UINT, false};
	perf.events[perf.count++] = event;
}

static void add_from(const struct channel *channel, const struct source *source,
		     const char *names)
{
	char name[80];

	for (size_t length; *names; names += length + (names[length] != '\0')) {
		length = strcspn(names, ", ");
		if (!length || length >= sizeof(name))
			continue;
		memcpy(name, names, length);
		name[length] = '\0';
		perf_add(channel, source, name);
	}
}

static void add_all(const struct channel *channel)
{
	bool any = false;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const char *names = settings_get(&channel->settings, sources[i].key);

		if (names)
			add_from(channel, &sources[i], names);
		any |= names != NULL;
	}
	if (!any)
		add_from(channel, sources, "task-clock,page-faults,context-switches");
}

static void close_counters(void)
{
	for (size_t i = 0; own_counters.begun && i < perf.count; i++)
		if (own_counters.descriptors[i] >= 0)
			close(own_counters.descriptors[i]);
	own_counters.begun = false;
}

/* A child of fork has its parent's: they count the parent. */
static void perf_forget(void)
{
	close_counters();
	perf.lock.taken = 0;
}

static const char *perf_start(struct channel *channel)
{
	runtime_lock(&perf.lock);
	if (!perf.count) {
		add_all(channel);
		if (perf.count && !fork_handle(NULL, NULL, perf_forget))
			perf.count = 0;
	}
	runtime_unlock(&perf.lock);
	return perf.count ? NULL : "none of its events can be had";
}

static size_t metrics_of(const struct channel *channel)
{
	(void)channel;
	return perf.count;
}

/* Out of the way of the program's descriptors, as far as it may have so many. */
static int move_away(int descriptor)
{
	/* glibc calls it fcntl64, which musl has not. */
	int moved =
		(int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);

	if (descriptor < 0 || moved < 0)
		return descriptor;
	close(descriptor);
	return moved;
}

/* At the first event of a thread. */
static void perf_begin(void)
{
	int saved = errno;

	own_counters.begun = true;
	for (size_t i = 0; i < perf.count; i++)
		own_counters.descriptors[i] =
			move_away(open_event(&perf.events[i], perf.user));
	errno = saved;
}

static void perf_sample(struct channel_thread *own, const struct runtime_event *event,
			uint64_t *ret_values)
{
	(void)own;
	(void)event;
	if (unlikely(!own_counters.begun) && !own_counters.ended && !runtime_sealed)
		perf_begin();
	/* A filter of system calls may forbid it: then nothing goes up. */
	for (size_t i = 0; own_counters.begun && !runtime_sealed && i < perf.count; i++) {
		uint64_t value;

		if (own_counters.descriptors[i] >= 0 &&
		    read(own_counters.descriptors[i], &value, sizeof(value)) ==
			    sizeof(value))
			own_counters.values[i] = value;
	}
	memcpy(ret_values, own_counters.values, perf.count * sizeof(*ret_values));
}

static void end_thread(void)
{
	if (!runtime_sealed)
		close_counters();
	own_counters.ended = true;
}

const struct service service_perf = {
	.name = "perf",
	.about = "counters of the processor and the kernel; a system call an event for "
		 "each",
	.keys = "PERF_EVENTS PAPI_COUNTERS LIBPFM_EVENTS",
	.metrics = metrics,
	.metric_count = EVENTS_MAX,
	.metrics_of = metrics_of,
	.start = perf_start,
	.sample = perf_sample,
	.end_thread = end_thread,
};
