/*
 * loop_statistics: iterations of loops, and how long they took. An iteration is the time
 * in which a value of the attribute iteration#NAME is set, or a pass of TRM_LOOP.
 */
#include "runtime/channel/channel.h"

static const struct service_metric metrics[] = {
	{"iter.count", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"iter.duration.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
};

static const char *start(struct channel *channel)
{
	channel->timed = true;
	return NULL;
}

/* What it counted in the thread; a pass of TRM_LOOP ends with its node. */
static void sample(struct channel_thread *own, const struct runtime_event *event,
		   uint64_t *ret_values)
{
	const struct moment *moment =
		event->kind == RUNTIME_UNSET ? values_get(event->attribute) : NULL;

	if (moment && attributes_is_iteration(event->attribute)) {
		own->iterations++;
		own->iteration_ticks += event->now - moment->began;
	} else if (event->kind == RUNTIME_ITERATION) {
		own->iterations++;
	}
	ret_values[0] = own->iterations;
	ret_values[1] = own->iteration_ticks;
}

const struct service service_loop_statistics = {
	.name = "loop_statistics",
	.about = "iterations of loops",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = start,
	.sample = sample,
};
