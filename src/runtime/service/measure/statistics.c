/*
 * statistics: how many events of each kind a channel saw, and how many snapshots it took,
 * said when it ends (LOG_VERBOSITY=1). Each thread counts its own.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"

static void statistics_look(struct channel_thread *own, const struct runtime_event *event)
{
	struct event_counts *counts = &own->counts;

	counts->begins += event->kind == RUNTIME_BEGIN || event->kind == RUNTIME_START ||
			  event->kind == RUNTIME_ITERATION;
	counts->ends += event->kind == RUNTIME_END || event->kind == RUNTIME_UNSET;
	counts->sets += event->kind == RUNTIME_SET || event->kind == RUNTIME_CHANGE;
}

static void statistics_take(struct channel_thread *own, const struct runtime_event *event)
{
	(void)event;
	own->counts.snapshots++;
}

static void statistics_add(struct event_counts *sum, const struct event_counts *counts)
{
	sum->begins += counts->begins;
	sum->ends += counts->ends;
	sum->sets += counts->sets;
	sum->snapshots += counts->snapshots;
	sum->threads++;
}

/* The thread's own record is still there. */
static void statistics_leave(struct channel *channel, const struct context_thread *thread)
{
	struct channel_thread *own = channels_own[channel->number];

	if (!own || own->channel != channel || own->thread != thread)
		return;
	runtime_lock(&channel->lock);
	statistics_add(&channel->service_data.counts, &own->counts);
	own->counts = (struct event_counts){.left = true};
	runtime_unlock(&channel->lock);
}

static void count_attributes(uint32_t *values, uint32_t *globals, uint32_t *hidden,
			     uint32_t *all)
{
	const struct context_attribute *known;

	for (uint32_t i = 1; (known = attributes_get(i)); i++) {
		++*all;
		if (known->properties & TRM_HIDDEN)
			++*hidden;
		else if (known->properties & TRM_GLOBAL)
			++*globals;
		else if (known->properties & TRM_AS_VALUE)
			++*values;
	}
}

static void statistics_finish(struct channel *channel)
{
	uint32_t values = 0, globals = 0, hidden = 0, all = 0;
	struct event_counts sum;

	runtime_lock(&channel->lock);
	sum = channel->service_data.counts;
	for (struct channel_thread *own = channel->threads; own; own = own->next)
		if (!own->counts.left)
			statistics_add(&sum, &own->counts);
	runtime_unlock(&channel->lock);
	log_inform("%s: statistics:\n"
		   "  Number of begin events: %llu\n"
		   "  Number of end events:   %llu\n"
		   "  Number of set events:   %llu\n"
		   "  Number of snapshots:    %llu\n"
		   "  Number of threads:      %llu\n"
		   "  Max snapshot entries:   %u",
		   channel->name, (unsigned long long)sum.begins,
		   (unsigned long long)sum.ends, (unsigned long long)sum.sets,
		   (unsigned long long)sum.snapshots, (unsigned long long)sum.threads,
		   1 + channel->metric_count);
	count_attributes(&values, &globals, &hidden, &all);
	log_inform("Global statistics:\n"
		   "  Number of attributes:   %u\n"
		   "    reference:            %u\n"
		   "    value:                %u\n"
		   "    global:               %u\n"
		   "    hidden:               %u",
		   all, all - values - globals - hidden, values, globals, hidden);
}

const struct service service_statistics = {
	.name = "statistics",
	.about = "says how many events and snapshots there were",
	.on_event = statistics_look,
	.on_snapshot = statistics_take,
	.leave = statistics_leave,
	.finish = statistics_finish,
};
