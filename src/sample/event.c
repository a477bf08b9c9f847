#include "sample/event.h"

#include "base/cleanup.h"
#include "base/kernel_events.h"
#include "base/pfm.h"
#include "base/text.h"

#include <string.h>
#include <time.h>

enum {
	/* Bytes of a stack that the kernel copies for each sample with a call path. */
	STACK_BYTES = 8192,
	/* rax to r15 and the pc, by the numbers of asm/perf_regs.h. */
	REGISTERS_LOW = 9,
	REGISTERS_HIGH = 16,
};

#define SECOND_NS 1000000000ull

/* ":p" to ":ppp" behind a name ask for the instruction itself, and not one behind it. The
 * name is cut off there; a number of the kernel's is returned. */
static unsigned int cut_precision(char *name)
{
	enum { MOST = 3 };
	char *end = name + strlen(name), *at = end;

	while (at > name && at[-1] == 'p' && end - at < MOST)
		at--;
	if (at == end || at == name || at[-1] != ':')
		return 0;
	at[-1] = '\0';
	return (unsigned int)(end - at);
}

static struct trm_error *find_named(const char *name, struct sample_event *event)
{
	struct perf_event_attr *attributes = &event->attributes;
	const struct kernel_event *known = kernel_event_find(name);
	const char *reason;

	if (known) {
		attributes->type = known->type;
		attributes->config = known->config;
		event->in_kernel = known->in_kernel;
		event->is_clock = known->is_clock;
		return NULL;
	}
	reason = pfm_find(name, attributes);
	return reason ? trm_error_create(TRM_ERROR_USAGE,
					 "--event '%s': %s. cpu-clock, task-clock, "
					 "page-faults, cycles and instructions are some",
					 name, reason)
		      : NULL;
}

static struct trm_error *find_event(const char *name, struct sample_event *event)
{
	scoped_free char *plain = memory_copy_string(name);
	const unsigned int precision = cut_precision(plain);

	TRM_TRY(find_named(plain, event));
	if (precision && event->attributes.type == PERF_TYPE_SOFTWARE)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--event '%s': only counters of the processor are "
			"precise: leave ':%s' out",
			name, name + strlen(plain) + 1);
	if (precision)
		event->attributes.precise_ip = precision & 3;
	return NULL;
}

/* What only counters of the processor have. */
static void add_extras(struct perf_event_attr *attributes, const struct sample_rate *rate)
{
	if (attributes->type == PERF_TYPE_SOFTWARE)
		return;
	if (attributes->precise_ip)
		attributes->sample_type |=
			PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
	if (!rate->branches)
		return;
	attributes->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attributes->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
}

static void complete_event(struct sample_event *event, const struct sample_rate *rate)
{
	struct perf_event_attr *attributes = &event->attributes;

	attributes->size = sizeof(*attributes);
	attributes->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
				  PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	/* Of the program one frame is wanted: where a call led into the kernel. With call
	 * paths the registers tell that. */
	if (!rate->callpath || rate->kernel)
		attributes->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attributes->exclude_callchain_user = rate->callpath;
	attributes->exclude_kernel = !rate->kernel && !event->in_kernel;
	attributes->exclude_callchain_kernel = !rate->kernel;
	attributes->sample_max_stack = rate->callpath ? 0 : 1;
	if (rate->callpath) {
		attributes->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attributes->sample_regs_user =
			((1ull << REGISTERS_LOW) - 1) | (0xffull << REGISTERS_HIGH);
		attributes->sample_stack_user = STACK_BYTES;
	}
	attributes->read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attributes->exclude_hv = 1;
	if (rate->kernel)
		attributes->exclude_kernel = 0;
	attributes->exclude_idle = rate->system;
	attributes->disabled = 1;
	attributes->inherit = 1;
	attributes->sample_id_all = 1;
	attributes->use_clockid = 1;
	attributes->clockid = CLOCK_MONOTONIC;
	attributes->watermark = 1; /* when half of the ring is full */
	add_extras(attributes, rate);
	if (rate->period)
		event->period = rate->period;
	else if (event->is_clock)
		event->period = SECOND_NS / rate->frequency;
	if (event->period) {
		attributes->sample_period = event->period;
		/* Of one that it counts itself the kernel takes a sample each time that
		 * it happens, whatever the period, if samples have their periods. */
		if (!event->is_clock && (attributes->type == PERF_TYPE_SOFTWARE ||
					 attributes->type == PERF_TYPE_TRACEPOINT))
			attributes->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	} else {
		attributes->freq = 1;
		attributes->sample_freq = rate->frequency;
	}
}

struct trm_error *sample_events_init(const char *list, const struct sample_rate *rate,
				     struct sample_events *ret_events)
{
	scoped_free char *copy = memory_copy_string(list);
	char *rest = copy, *name;
	struct sample_events events = {0};
	struct trm_error *error = NULL;

	while (!error && (name = strsep(&rest, ","))) {
		struct sample_event *event = vector_add(&events);

		event->name = memory_copy_string(name);
		error = find_event(name, event);
		complete_event(event, rate);
	}
	if (!error && events.count > SAMPLE_EVENTS_MAX)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "--event '%s': more than %d events", list,
					 SAMPLE_EVENTS_MAX);
	if (error)
		sample_events_deinit(&events);
	else
		*ret_events = events;
	return error;
}

void sample_events_deinit(struct sample_events *events)
{
	vector_for_each (events, event)
		free(event->name);
	vector_deinit(events);
}
