#include "sample/source.h"

#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	RING_SHORT = 1 << 20,   /* bytes a processor, without stacks */
	RING_STACKS = 16 << 20, /* and with them */
	JITTER_NS = 1000000000,
	SLACK_NS = 1000000,
	POLLED_MAX = 64,
};

/* The event that tells what is mapped, in struct sample_opened. */
#define TRACKING UINT32_MAX

#define SECOND_NS 1000000000ull

void sample_source_init(struct sample_source *source, struct sample_events *events)
{
	const struct perf_event_attr *first = &events->items[0].attributes;

	*source = (struct sample_source){
		.events = events,
		.order.layout = {.type = first->sample_type,
				 .registers = first->sample_regs_user},
		.seed = (unsigned int)clock_now_ns(),
		.jittered_ns = clock_now_ns(),
	};
}

void sample_source_deinit(struct sample_source *source)
{
	vector_for_each (&source->rings, ring)
		sample_ring_deinit(ring);
	vector_for_each (&source->opened, opened)
		close(opened->fd);
	vector_deinit(&source->rings);
	vector_deinit(&source->opened);
	sample_order_deinit(&source->order);
	text_deinit(&source->notes);
}

/* A period near the one that was asked for. */
static uint64_t jittered_period(struct sample_source *source, uint64_t period)
{
	const double around =
		1 + ((double)rand_r(&source->seed) / (double)RAND_MAX - 0.5) / 10;
	const uint64_t near = (uint64_t)((double)period * around);

	return near ? near : 1;
}

/* Each event of a thread on each processor is a descriptor. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static struct trm_error *explain_refusal(int why)
{
	switch (why) {
	case EACCES:
	case EPERM:
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"samples need perf events, which are forbidden here (%s): set "
			"the kernel's kernel.perf_event_paranoid to 2 or less, or let "
			"the container's seccomp profile have perf_event_open",
			strerror(why));
	case ENOSYS:
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"samples need perf events, which this kernel "
					"does not have");
	case ESRCH:
		return trm_error_create(TRM_ERROR_GONE, "the process has ended");
	case EMFILE:
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"too few descriptors for all threads on all processors: raise "
			"the limit (ulimit -Hn)");
	default:
		return trm_error_system(why, "cannot open a perf event");
	}
}

static int open_event(const struct perf_event_attr *attributes, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attributes, tid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static struct sample_ring *ring_of(struct sample_source *source, int cpu)
{
	while (source->rings.count <= (size_t)cpu)
		vector_add(&source->rings);
	return &source->rings.items[cpu];
}

/* The first event of a processor has the ring, others write to it, too. */
static bool join_ring(struct sample_source *source, int fd, int cpu)
{
	const bool stacks = source->order.layout.type & PERF_SAMPLE_STACK_USER;
	struct sample_ring *ring = ring_of(source, cpu);

	if (ring->head)
		return !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd);
	return sample_ring_init(ring, fd, stacks ? RING_STACKS : RING_SHORT);
}

/* Opens an event on one processor. Returns 0, or why it cannot be. */
static int open_on(struct sample_source *source, const struct perf_event_attr *attributes,
		   uint32_t index, pid_t tid, int cpu)
{
	struct sample_opened opened = {.event = index};

	opened.fd = open_event(attributes, tid, cpu);
	if (opened.fd < 0)
		return errno;
	if (!join_ring(source, opened.fd, cpu) ||
	    ioctl(opened.fd, PERF_EVENT_IOC_ID, &opened.id)) {
		int why = errno;

		close(opened.fd);
		return why;
	}
	vector_push(&source->opened, opened);
	return 0;
}

/* Opens an event on all processors. Returns 0, or why that cannot be. */
static int open_on_all(struct sample_source *source, struct perf_event_attr attributes,
		       uint32_t index, pid_t tid)
{
	const uint64_t period =
		index < source->events->count ? source->events->items[index].period : 0;
	const int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	int why = ENODEV;

	attributes.wakeup_watermark = RING_SHORT / 4;
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (period)
			attributes.sample_period = jittered_period(source, period);
		int failed = open_on(source, &attributes, index, tid, cpu);

		if (!failed)
			why = 0;
		/* A processor that is switched off has none. */
		else if (failed != ENODEV)
			return failed;
	}
	return why;
}

/* An event that never happens, and tells what is mapped and executed. */
static struct perf_event_attr tracking_event(const struct sample_source *source)
{
	struct perf_event_attr attributes = source->events->items[0].attributes;

	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_DUMMY;
	attributes.config1 = attributes.config2 = 0;
	attributes.freq = 0;
	attributes.sample_period = 1;
	attributes.precise_ip = 0;
	attributes.exclude_kernel = 1;
	attributes.mmap = attributes.mmap2 = attributes.comm = attributes.comm_exec =
		attributes.task = 1;
	return attributes;
}

static const char *lack_of(int why)
{
	return why == ENOENT || why == ENODEV || why == EOPNOTSUPP
		       ? "this machine does not have it"
		       : strerror(why);
}

/* When no event is there that was asked for. */
static void take_clock(struct sample_source *source)
{
	struct sample_event *event = &source->events->items[0];
	const uint64_t frequency =
		event->attributes.freq ? event->attributes.sample_freq : SAMPLE_FREQUENCY;

	free(event->name);
	event->name = memory_copy_string("cpu-clock");
	event->attributes.type = PERF_TYPE_SOFTWARE;
	event->attributes.config = PERF_COUNT_SW_CPU_CLOCK;
	event->attributes.config1 = event->attributes.config2 = 0;
	event->attributes.precise_ip = 0;
	event->attributes.exclude_kernel = 1;
	event->attributes.freq = 0;
	event->is_clock = true;
	event->period = event->attributes.sample_period = SECOND_NS / frequency;
	text_format(&source->notes, "cpu-clock is used instead, %" PRIu64 " Hz\n",
		    frequency);
}

static struct trm_error *open_events(struct sample_source *source, pid_t tid,
				     bool at_once)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < source->events->count; i++) {
		struct perf_event_attr attributes = source->events->items[i].attributes;

		if (source->tallies[i].refused)
			continue;
		attributes.enable_on_exec = !at_once;
		int why = open_on_all(source, attributes, i, tid);

		if (why == ESRCH || why == EMFILE)
			return explain_refusal(why);
		source->tallies[i].opened |= !why;
		source->tallies[i].refused = why;
		count += !why;
		if (why)
			text_format(&source->notes, "event %s: %s\n",
				    source->events->items[i].name, lack_of(why));
	}
	if (count)
		return NULL;
	take_clock(source);
	source->tallies[0].refused = false;
	source->tallies[0].opened = true;
	struct perf_event_attr attributes = source->events->items[0].attributes;

	attributes.enable_on_exec = !at_once;
	int why = open_on_all(source, attributes, 0, tid);

	return why ? explain_refusal(why) : NULL;
}

struct trm_error *sample_source_open(struct sample_source *source, pid_t tid,
				     bool at_once)
{
	struct perf_event_attr tracking = tracking_event(source);
	int why;

	if (getenv("TRAMMEL_NO_PERF_EVENTS"))
		return explain_refusal(EACCES);
	raise_descriptors();
	tracking.enable_on_exec = !at_once;
	why = open_on_all(source, tracking, TRACKING, tid);
	return why ? explain_refusal(why) : open_events(source, tid, at_once);
}

static void tell_all(const struct sample_source *source, unsigned long request)
{
	vector_for_each (&source->opened, opened)
		ioctl(opened->fd, request, 0);
}

void sample_source_start(struct sample_source *source)
{
	tell_all(source, PERF_EVENT_IOC_ENABLE);
}

void sample_source_stop(struct sample_source *source)
{
	tell_all(source, PERF_EVENT_IOC_DISABLE);
}

void sample_source_wait(const struct sample_source *source, int fd, int wait_ms)
{
	struct pollfd ends[POLLED_MAX + 1] = {{.fd = fd, .events = POLLIN}};
	nfds_t count = 1;

	vector_for_each (&source->rings, ring)
		if (ring->head && count <= POLLED_MAX)
			ends[count++] = (struct pollfd){.fd = ring->fd, .events = POLLIN};
	poll(ends, count, wait_ms);
	/* What has ended is ready for ever: wait no less for it. */
	for (nfds_t i = 1; i < count; i++)
		if (ends[i].revents & POLLHUP && !(ends[i].revents & POLLIN)) {
			poll(ends, 1, wait_ms);
			break;
		}
}

/* Those that were opened, for a program's first thread; threads and processes that begin
 * get the period that it has then. */
static void jitter_periods(struct sample_source *source)
{
	const uint64_t now = clock_now_ns();

	if (now - source->jittered_ns < JITTER_NS)
		return;
	source->jittered_ns = now;
	vector_for_each (&source->opened, opened) {
		uint64_t period = opened->event == TRACKING
					  ? 0
					  : source->events->items[opened->event].period;

		if (period)
			period = jittered_period(source, period);
		if (period)
			ioctl(opened->fd, PERF_EVENT_IOC_PERIOD, &period);
	}
}

void sample_source_drain(struct sample_source *source, bool all, sample_visit *visit,
			 void *context)
{
	const uint64_t now = clock_now_ns();

	vector_for_each (&source->rings, ring)
		if (ring->head)
			sample_order_take_ring(&source->order, ring);
	/* What was written before this moment was there to be read; records that are
	 * being written are some microseconds old. */
	sample_order_visit(&source->order, all ? UINT64_MAX : now - SLACK_NS, visit,
			   context);
	if (!all)
		jitter_periods(source);
}

bool sample_source_event(const struct sample_source *source, uint64_t id,
			 uint32_t *ret_event)
{
	vector_for_each (&source->opened, opened) {
		if (opened->id != id || opened->event == TRACKING)
			continue;
		*ret_event = opened->event;
		return true;
	}
	return false;
}

void sample_source_count(struct sample_source *source)
{
	/* As PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING have them. */
	struct {
		uint64_t total, enabled_ns, running_ns;
	} numbers;

	source->run_ns = 0;
	for (size_t i = 0; i < SAMPLE_EVENTS_MAX; i++)
		source->tallies[i].total = source->tallies[i].running_ns = 0;
	vector_for_each (&source->opened, opened) {
		if (read(opened->fd, &numbers, sizeof(numbers)) != sizeof(numbers))
			continue;
		/* An event of one processor is wanted while the thread runs on others,
		 * too; but what never happens needs no counter to run. */
		if (opened->event == TRACKING) {
			source->run_ns += numbers.running_ns;
			continue;
		}
		source->tallies[opened->event].total += numbers.total;
		source->tallies[opened->event].running_ns += numbers.running_ns;
	}
}
