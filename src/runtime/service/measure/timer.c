/*
 * timer: the time since the thread's last snapshot, and, with TIMER_INCLUSIVE_DURATION,
 * that from the begin of what ends. timestamp: when a snapshot was taken.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"

static const struct service_metric metrics[] = {
	{"time.duration.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
	{"time.inclusive.duration.ns", SERVICE_AT_END, TRM_TYPE_UINT, true},
};

static const char *timer_start(struct channel *channel)
{
	channel->timed = true;
	channel->service_data.inclusive =
		settings_is_true(&channel->settings, "TIMER_INCLUSIVE_DURATION", false);
	return NULL;
}

static void timer_sample(struct channel_thread *own, const struct runtime_event *event,
			 uint64_t *ret_values)
{
	uint64_t began;

	ret_values[0] = event->now - own->thread->held;
	if (!own->channel->service_data.inclusive || event->kind != RUNTIME_END)
		return;
	/* What was open when the channel began is measured from then on. */
	began = event->node->began;
	if (began < own->channel->clock.started)
		began = own->channel->clock.started;
	ret_values[1] = event->now > began ? event->now - began : 0;
}

static size_t metrics_of(const struct channel *channel)
{
	return channel->service_data.inclusive ? 2 : 1;
}

const struct service service_timer = {
	.name = "timer",
	.about = "time in each context, exclusive and inclusive",
	.keys = "TIMER_INCLUSIVE_DURATION",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.metrics_of = metrics_of,
	.start = timer_start,
	.sample = timer_sample,
};

static const char *timer_stamp(struct channel *channel)
{
	channel->timed = true;
	return NULL;
}

const struct service service_timestamp = {
	.name = "timestamp",
	.about = "the time of each snapshot, in traces",
	.start = timer_stamp,
};
