#include "sample/source.h"

#include "base/array.h"
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
	RING_MOST = 16 << 20,   /* and with them, at most */
	SAMPLE_BYTES = 9 << 10, /* of a sample with a stack */
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
		.order.layout = {.type = first->sample_type & ~SAMPLE_EXTRAS,
				 .registers = first->sample_regs_user,
				 .types = &source->types},
		.kernel = !first->exclude_callchain_kernel,
		.seed = (unsigned int)clock_now_ns(),
		.jittered_ns = clock_now_ns(),
	};
}

static void close_all(struct sample_source *source)
{
	vector_for_each (&source->rings, ring)
		sample_ring_deinit(ring);
	vector_for_each (&source->opened, opened)
		close(opened->fd);
	vector_deinit(&source->rings);
	vector_deinit(&source->opened);
}

void sample_source_deinit(struct sample_source *source)
{
	close_all(source);
	sample_order_deinit(&source->order);
	table_deinit(&source->by_id);
	text_deinit(&source->notes);
	table_deinit(&source->types);
}

uint64_t sample_source_jitter(struct sample_source *source, uint64_t period)
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

/* What errno is instead when the rings may not be locked in memory. */
#define NO_RINGS ENOBUFS

static struct trm_error *explain_refusal(int why)
{
	static const struct {
		int why;
		const char *text;
	} reasons[] = {
		{EACCES, "perf events are forbidden here (kernel.perf_event_paranoid)"},
		{EPERM, "perf events are forbidden here (kernel.perf_event_paranoid, or "
			"a container's seccomp profile)"},
		{ENOSYS, "this kernel has no perf events"},
		{EMFILE, "there are too few descriptors for perf events of all threads "
			 "on all processors (ulimit -Hn)"},
		{NO_RINGS, "no memory may be locked for records of perf events "
			   "(kernel.perf_event_mlock_kb)"},
	};

	if (why == ESRCH)
		return trm_error_create(TRM_ERROR_GONE, "the process has ended");
	for (size_t i = 0; i < array_count(reasons); i++)
		if (reasons[i].why == why)
			return trm_error_create(TRM_ERROR_UNSUPPORTED, "%s",
						reasons[i].text);
	return trm_error_create(TRM_ERROR_UNSUPPORTED, "perf events cannot be opened: %s",
				strerror(why));
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

/* Room for the samples of half a second, a power of two: to make it takes time. */
static size_t ring_bytes(const struct sample_source *source)
{
	uint64_t frequency = 0;
	size_t size = RING_SHORT;

	if (source->ring_size)
		return source->ring_size;
	if (!(source->order.layout.type & PERF_SAMPLE_STACK_USER))
		return size;
	vector_for_each (source->events, event)
		frequency += event->attributes.freq ? event->attributes.sample_freq
			     : event->is_clock      ? SECOND_NS / event->period
						    : SAMPLE_FREQUENCY;
	while (size < RING_MOST && size < frequency * SAMPLE_BYTES / 2)
		size *= 2;
	return size;
}

/* The first event of a processor has the ring, others write to it, too. */
static bool join_ring(struct sample_source *source, int fd, int cpu)
{
	struct sample_ring *ring = ring_of(source, cpu);

	if (ring->head)
		return !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd);
	if (sample_ring_init(ring, fd, ring_bytes(source)))
		return true;
	errno = NO_RINGS;
	return false;
}

void sample_source_add(struct sample_source *source, const struct sample_opened *opened)
{
	vector_push(&source->opened, *opened);
	*table_insert(&source->by_id, opened->id, NULL) = (uint64_t)opened->event + 1;
}

/* Opens an event on one processor. Returns 0, or why it cannot be. */
static int open_on(struct sample_source *source, const struct perf_event_attr *attributes,
		   uint32_t index, pid_t tid, int cpu)
{
	struct sample_opened opened = {.event = index, .group = source->group};

	opened.fd = open_event(attributes, tid, cpu);
	if (opened.fd < 0)
		return errno;
	if (!join_ring(source, opened.fd, cpu) ||
	    ioctl(opened.fd, PERF_EVENT_IOC_ID, &opened.id)) {
		int why = errno;

		close(opened.fd);
		return why;
	}
	sample_source_add(source, &opened);
	if (attributes->sample_type != source->order.layout.type)
		*table_insert(&source->types, opened.id, NULL) = attributes->sample_type;
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

	attributes.disabled = !source->begun;
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (period)
			attributes.sample_period = sample_source_jitter(source, period);
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
	attributes.sample_type &= ~SAMPLE_EXTRAS;
	attributes.branch_sample_type = 0;
	attributes.exclude_kernel = attributes.exclude_callchain_kernel = 1;
	attributes.mmap = attributes.mmap2 = attributes.comm = attributes.comm_exec =
		attributes.task = 1;
	return attributes;
}

static const char *lack_of(int why)
{
	if (why == EACCES || why == EPERM)
		return "it is forbidden here: kernel.perf_event_paranoid of 1 or less, "
		       "or root, has it";
	return why == ENOENT || why == ENODEV || why == EOPNOTSUPP
		       ? "this machine does not have it"
		       : strerror(why);
}

static void leave_branches(struct sample_event *event)
{
	event->attributes.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	event->attributes.branch_sample_type = 0;
}

static void leave_precision(struct sample_event *event)
{
	event->attributes.precise_ip = 0;
	event->attributes.sample_type &= ~SAMPLE_EXTRAS | PERF_SAMPLE_BRANCH_STACK;
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
	leave_branches(event);
	leave_precision(event);
	event->attributes.exclude_kernel = !source->kernel;
	event->attributes.freq = 0;
	event->is_clock = true;
	event->period = event->attributes.sample_period = SECOND_NS / frequency;
	source->tallies[0].refused = false;
	source->tallies[0].opened = true;
	text_format(&source->notes, "cpu-clock is used instead, %" PRIu64 " Hz\n",
		    frequency);
}

static void check_branches(struct sample_source *source)
{
	vector_for_each (source->events, event)
		if (event->attributes.branch_sample_type)
			return;
	if (source->branches)
		text_add(&source->notes, "no branches: only counters of a processor that "
					 "notes its last ones have them\n");
	source->branches = false;
}

void sample_source_look(struct sample_source *source, const char *why)
{
	close_all(source);
	source->looked = true;
	if (source->kernel)
		text_add(&source->notes, "samples of the kernel need perf events, too\n");
	source->kernel = false;
	check_branches(source);
	for (uint32_t i = 0; i < source->events->count; i++)
		source->tallies[i] = (struct sample_tally){.refused = true};
	text_format(&source->notes, "%s: the tracer looks where threads are instead\n",
		    why);
	for (uint32_t i = source->events->items[0].is_clock; i < source->events->count;
	     i++)
		text_format(&source->notes, "event %s: needs perf events\n",
			    source->events->items[i].name);
	if (!source->events->items[0].is_clock)
		take_clock(source);
	source->tallies[0] = (struct sample_tally){.opened = true};
}

/* Samples of the kernel's code need rights that the user may not have. */
static void leave_kernel(struct sample_source *source)
{
	text_add(&source->notes,
		 "samples of the kernel are forbidden here (kernel.perf_event_paranoid "
		 "above 1): they are of user code only\n");
	source->kernel = false;
	vector_for_each (source->events, event) {
		event->attributes.exclude_kernel = !event->in_kernel;
		event->attributes.exclude_callchain_kernel = 1;
	}
}

/* Whether an event can be asked for with less than before, after it was refused: writes
 * what it will lack to `ret_lack`, for the notes. */
static bool ask_for_less(struct sample_source *source, struct sample_event *event,
			 int why, const char **ret_lack)
{
	*ret_lack = NULL;
	if ((why == EACCES || why == EPERM) && source->kernel) {
		leave_kernel(source);
		return true;
	}
	if (event->attributes.branch_sample_type) {
		leave_branches(event);
		return true;
	}
	if (event->attributes.precise_ip) {
		leave_precision(event);
		*ret_lack = "not precise: this machine does not have that";
		return true;
	}
	return false;
}

/* Opens an event, with what the machine has of what was asked for. */
static int open_as_can_be(struct sample_source *source, uint32_t index, pid_t tid,
			  bool at_once)
{
	struct sample_event *event = &source->events->items[index];
	struct text lacks = {0};
	int why;

	for (;;) {
		struct perf_event_attr attributes = event->attributes;
		const char *lack;

		attributes.enable_on_exec = !at_once;
		why = open_on_all(source, attributes, index, tid);
		if (!why || why == ESRCH || why == EMFILE || why == NO_RINGS ||
		    !ask_for_less(source, event, why, &lack))
			break;
		if (lack)
			text_format(&lacks, "event %s: %s\n", event->name, lack);
	}
	if (!why && lacks.data)
		text_add(&source->notes, lacks.data);
	text_deinit(&lacks);
	return why;
}

static struct trm_error *open_events(struct sample_source *source, pid_t tid,
				     bool at_once)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < source->events->count; i++) {
		if (source->tallies[i].refused)
			continue;
		int why = open_as_can_be(source, i, tid, at_once);

		if (why == ESRCH || why == EMFILE || why == NO_RINGS)
			return explain_refusal(why);
		source->tallies[i].opened |= !why;
		source->tallies[i].refused = why;
		count += !why;
		if (why)
			text_format(&source->notes, "event %s: %s\n",
				    source->events->items[i].name, lack_of(why));
	}
	if (!count) {
		take_clock(source);
		int why = open_as_can_be(source, 0, tid, at_once);

		if (why)
			return explain_refusal(why);
	}
	check_branches(source);
	return NULL;
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

struct trm_error *sample_source_open_all(struct sample_source *source)
{
	return sample_source_open(source, -1, true);
}

struct trm_error *sample_source_open_rings(struct sample_source *source)
{
	struct perf_event_attr attributes = tracking_event(source);
	int why;

	/* An event that never happens and tells nothing. */
	attributes.mmap = attributes.mmap2 = attributes.comm = attributes.comm_exec =
		attributes.task = attributes.inherit = 0;
	source->group = 0;
	why = open_on_all(source, attributes, TRACKING, 0);
	return why ? explain_refusal(why) : NULL;
}

void sample_source_close(struct sample_source *source, uint32_t group)
{
	size_t kept = 0;

	table_deinit(&source->by_id);
	vector_for_each (&source->opened, opened) {
		if (opened->group == group) {
			close(opened->fd);
			continue;
		}
		*table_insert(&source->by_id, opened->id, NULL) =
			(uint64_t)opened->event + 1;
		source->opened.items[kept++] = *opened;
	}
	source->opened.count = kept;
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

/* What stands behind PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING. */
struct totals {
	uint64_t total, enabled_ns, running_ns;
};

/* Whether many periods have gone by. To change one begins it anew: of a thread that runs
 * for less than a period meanwhile, there would never be a sample. */
static bool is_busy(struct sample_opened *opened, uint64_t period)
{
	enum { PERIODS = 20 };
	struct totals totals;

	if (read(opened->fd, &totals, sizeof(totals)) != sizeof(totals) ||
	    totals.total - opened->total < PERIODS * period)
		return false;
	opened->total = totals.total;
	return true;
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

		if (period && is_busy(opened, period)) {
			period = sample_source_jitter(source, period);
			ioctl(opened->fd, PERF_EVENT_IOC_PERIOD, &period);
		}
	}
}

void sample_source_drain(struct sample_source *source, bool all, sample_visit *visit,
			 void *context)
{
	const uint64_t now = clock_now_ns();

	vector_for_each (&source->rings, ring)
		if (ring->head)
			sample_order_take_ring(&source->order, ring, &ring->end);
	/* What was written before this moment was there to be read; records that are
	 * being written are some microseconds old. */
	sample_order_visit(&source->order, all ? UINT64_MAX : now - SLACK_NS, visit,
			   context);
	vector_for_each (&source->rings, ring)
		if (ring->head)
			sample_ring_release(ring, ring->end);
	if (!all)
		jitter_periods(source);
}

bool sample_source_event(const struct sample_source *source, uint64_t id,
			 uint32_t *ret_event)
{
	uint64_t index;

	if (source->looked) {
		*ret_event = 0;
		return id == SAMPLE_LOOK_ID;
	}
	if (!table_find(&source->by_id, id, &index) || index > source->events->count)
		return false;
	*ret_event = (uint32_t)index - 1;
	return true;
}

void sample_source_count(struct sample_source *source)
{
	struct totals numbers;

	if (source->looked)
		return;
	source->run_ns = 0;
	/* What others counted, as looks at threads that wait, is left as it is. */
	vector_for_each (&source->opened, opened)
		if (opened->event != TRACKING)
			source->tallies[opened->event].total =
				source->tallies[opened->event].running_ns = 0;
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
