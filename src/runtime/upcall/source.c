/*
 * A perf event sends its signal to its thread (F_SETOWN_EX), and writes a record into its
 * ring: the signal says that there is something, the ring what. So a signal that was sent
 * before, or that is blocked, loses nothing. The ring's mapping keeps the event alive:
 * its descriptor is closed at once, so that programs neither see nor close it.
 */
#include "runtime/upcall/source.h"

#include "base/kernel_events.h"
#include "base/pfm.h"
#include "runtime/upcall/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
	PAGE_BYTES = 4096,
	RING_BYTES = 2 * PAGE_BYTES, /* the kernel's page, and one of records */
	CLOCK_PERIOD_NS = 1000000,
	CLOCK_PERIOD_NS_MIN = 10000,
	HARDWARE_PERIOD = 1000000,
};

static const char *set_period(uint64_t period, struct upcall_source *source)
{
	uint64_t usual =
		source->attributes.type == PERF_TYPE_SOFTWARE ? 1 : HARDWARE_PERIOD;

	if (source->is_clock)
		usual = CLOCK_PERIOD_NS;
	source->attributes.sample_period = period ? period : usual;
	if (source->is_clock && source->attributes.sample_period < CLOCK_PERIOD_NS_MIN)
		return "a clock's period is at least 10000 nanoseconds";
	return source->attributes.sample_period >> 62 ? "the period is too long" : NULL;
}

const char *upcall_source_find(const struct trm_upcall_event *event, uint32_t flags,
			       struct upcall_source *ret_source)
{
	const struct kernel_event *known = kernel_event_find(event->name);
	struct perf_event_attr *attributes = &ret_source->attributes;
	const char *reason = NULL;

	if (strlen(event->name) >= sizeof(ret_source->name))
		return "an event's name is too long";
	*ret_source = (struct upcall_source){.taken = true};
	strcpy(ret_source->name, event->name);
	if (known) {
		attributes->type = known->type;
		attributes->config = known->config;
		ret_source->is_clock = known->is_clock;
		ret_source->in_kernel = known->in_kernel;
	} else {
		reason = pfm_find(event->name, attributes);
	}
	attributes->size = sizeof(*attributes);
	attributes->sample_type = 0;
	attributes->disabled = 1;
	attributes->wakeup_events = 1;
	/* A signal that came of code of the kernel would cut system calls short. */
	attributes->exclude_kernel = !ret_source->in_kernel;
	attributes->exclude_hv = 1;
	ret_source->by_timer = ret_source->is_clock && (flags & TRM_UPCALL_TIMERS);
	return reason ? reason : set_period(event->period, ret_source);
}

/* Of an open perf event. */
static long direct_signal(const struct upcall_source *source, uintptr_t descriptor,
			  uint32_t tid)
{
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)tid};
	long result = kernel_call3(SYS_fcntl, descriptor, F_SETOWN_EX, (uintptr_t)&owner);

	if (result >= 0)
		result = kernel_call3(SYS_fcntl, descriptor, F_SETSIG, UPCALL_SIGNAL);
	if (result >= 0 && !source->in_kernel)
		result = kernel_call3(SYS_fcntl, descriptor, F_SETFL, O_RDWR | O_ASYNC);
	if (result >= 0)
		result = kernel_call3(SYS_ioctl, descriptor, PERF_EVENT_IOC_ENABLE, 0);
	return result;
}

static const char *open_event(const struct upcall_source *source, uint32_t tid,
			      struct upcall_own *own)
{
	const struct perf_event_attr *attributes = &source->attributes;
	long descriptor =
		kernel_call(SYS_perf_event_open, (uintptr_t)attributes, tid,
			    (uintptr_t)-1, (uintptr_t)-1, PERF_FLAG_FD_CLOEXEC, 0);
	const char *refused = "it cannot be opened";
	long ring;

	if (descriptor < 0) {
		const char *told =
			kernel_event_refused(attributes->type, (int)-descriptor);

		return told ? told : refused;
	}
	ring = kernel_call(SYS_mmap, 0, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			   (uintptr_t)descriptor, 0);
	if (ring < 0 && ring > -PAGE_BYTES) {
		refused = ring == -ENOMEM ? "there is no memory for its records"
					  : "no more memory may be locked: see "
					    "kernel.perf_event_mlock_kb";
	} else if (direct_signal(source, (uintptr_t)descriptor, tid) < 0) {
		kernel_call3(SYS_munmap, (uintptr_t)ring, RING_BYTES, 0);
	} else {
		own->ring = (void *)ring;
		refused = NULL;
	}
	kernel_call3(SYS_close, (uintptr_t)descriptor, 0, 0);
	return refused;
}

/* The kernel looks at such timers at its own ticks; the signal tells how many periods it
 * stands for. */
static const char *open_timer(const struct upcall_source *source, uint32_t tid,
			      struct upcall_own *own)
{
	uint64_t period = source->attributes.sample_period;
	struct timespec each = {(time_t)(period / 1000000000),
				(long)(period % 1000000000)};
	const struct itimerspec spec = {each, each};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = UPCALL_SIGNAL,
				 .sigev_value.sival_ptr = own};
	/* CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED of the kernel's posix-timers.h. */
	uintptr_t clock = (uint32_t)(~tid << 3 | 6);
	int number;

	event._sigev_un._tid = (pid_t)tid;
	if (kernel_call3(SYS_timer_create, clock, (uintptr_t)&event, (uintptr_t)&number) <
	    0)
		return "no timer can be had";
	kernel_call(SYS_timer_settime, (uintptr_t)number, 0, (uintptr_t)&spec, 0, 0, 0);
	own->timer = number + 1;
	return NULL;
}

const char *upcall_source_open(const struct upcall_source *source, uint32_t tid,
			       struct upcall_own *own)
{
	const char *refused = NULL;

	if (!source->by_timer)
		refused = open_event(source, tid, own);
	if (source->by_timer || (refused && source->is_clock))
		refused = open_timer(source, tid, own);
	return refused;
}

void upcall_source_close(struct upcall_own *own)
{
	if (own->ring)
		kernel_call3(SYS_munmap, (uintptr_t)own->ring, RING_BYTES, 0);
	if (own->timer)
		kernel_call3(SYS_timer_delete, (uintptr_t)own->timer - 1, 0, 0);
	own->ring = NULL;
	own->timer = 0;
}

/* Of the records from `at` to `end`; they are of 8 bytes, or of lost ones. */
static uint64_t count_records(const struct perf_event_mmap_page *ring, uint64_t at,
			      uint64_t end)
{
	const char *records = (const char *)ring + PAGE_BYTES;
	uint64_t count = 0;

	while (at < end) {
		struct {
			struct perf_event_header header;
			uint64_t id, lost;
		} record;

		for (size_t i = 0; i < sizeof(record) / 8 && at + 8 * i < end; i++)
			memcpy((char *)&record + 8 * i,
			       records + (at + 8 * i) % PAGE_BYTES, 8);
		if (record.header.size < sizeof(record.header) || record.header.size % 8)
			return count;
		count += record.header.type == PERF_RECORD_SAMPLE;
		if (record.header.type == PERF_RECORD_LOST)
			count += record.lost;
		at += record.header.size;
	}
	return count;
}

static uint64_t read_head(const struct upcall_own *own)
{
	return __atomic_load_n(&own->ring->data_head, __ATOMIC_ACQUIRE);
}

uint64_t upcall_source_waiting(const struct upcall_own *own)
{
	return own->ring ? count_records(own->ring, own->ring->data_tail, read_head(own))
			 : 0;
}

uint64_t upcall_source_take(const struct upcall_own *own)
{
	uint64_t head, count;

	if (!own->ring)
		return 0;
	head = read_head(own);
	if (head == own->ring->data_tail)
		return 0;
	count = count_records(own->ring, own->ring->data_tail, head);
	__atomic_store_n(&own->ring->data_tail, head, __ATOMIC_RELEASE);
	return count;
}
