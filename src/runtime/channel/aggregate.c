/*
 * aggregate: sums for each context. A row has a count, and sum, least and most of each
 * metric. It is that of the context in which the thread was since its last snapshot.
 */
#include "runtime/channel/aggregate.h"

#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/happens.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/rows.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/number.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"
#include "runtime/store/values.h"
#include "wire/context_channel.h"

#include <string.h>

static inline void add_value(uint64_t *cells, uint32_t type, bool first, uint64_t value)
{
	cells[0] = number_add(type, cells[0], value);
	cells[1] = first ? value : number_least(type, cells[1], value);
	cells[2] = first ? value : number_most(type, cells[2], value);
}

/* The context with the values that tell contexts apart below it. */
static struct context_node *keyed_node(struct channel_thread *own,
				       struct context_node *node)
{
	const struct channel *channel = own->channel;

	for (uint32_t i = 0; node && i < channel->key_count; i++) {
		const struct channel_key *key = &channel->keys[i];
		uint32_t attribute = key->attribute;
		const struct moment *moment;

		if (key->metric >= 0) {
			uint64_t value = own->values[key->metric];

			if (value != CONTEXT_NO_KEY)
				node = tree_key(own->thread, node, key->attribute, value);
			continue;
		}
		if (!attribute)
			attribute = attributes_find(key->name);
		moment = values_get(attribute);
		if (moment)
			node = tree_key(own->thread, node, attribute, moment->bits);
	}
	return node;
}

static void take_metrics(struct channel_thread *own, uint64_t *row, bool first)
{
	const struct channel *channel = own->channel;

	for (uint32_t i = 0; i < channel->metric_count; i++) {
		const struct channel_metric *metric = &channel->metrics[i];

		if (metric->kind == SERVICE_DELTA || metric->kind == SERVICE_GAUGE)
			add_value(row + ROW_METRICS + 3 * i, metric->type, first,
				  own->values[i]);
	}
}

static void take_end(struct channel_thread *own, uint64_t *row)
{
	const struct channel *channel = own->channel;

	for (uint32_t i = 0; i < channel->metric_count; i++) {
		const struct channel_metric *metric = &channel->metrics[i];

		if (metric->kind == SERVICE_AT_END)
			add_value(row + ROW_METRICS + 3 * i, metric->type, !row[ROW_ENDS],
				  own->values[i]);
	}
	row[ROW_ENDS]++;
}

/* A metric that the program set has a node, and a row, of its own. */
void aggregate_give(struct channel_thread *own, struct context_node *node,
		    uint32_t attribute, uint64_t bits)
{
	const struct context_attribute *known = attributes_get(attribute);
	uint64_t *row;

	if (!(known->properties & TRM_AGGREGATABLE))
		return;
	if (own->channel->key_count)
		node = keyed_node(own, node);
	node = node ? tree_metric(own->thread, node, attribute) : NULL;
	row = node ? rows_at(own, node->number) : NULL;
	if (!row)
		return;
	add_value(row + ROW_METRICS, known->type, !row[ROW_SNAPSHOTS], bits);
	row[ROW_SNAPSHOTS]++;
}

/* What ends while others are open in it has its own row; a call path is none of these. */
static __attribute__((noinline)) uint64_t *
row_of_end(struct channel_thread *own, const struct runtime_event *event, uint64_t *row)
{
	if (event->node == paths_context(own->channel, event->before))
		return row;
	return rows_at(own, event->node->number);
}

/* A value that is set where none of its attribute is open ends nothing; as the peer
 * counts, none does. */
static inline bool ends_one(const struct channel *channel,
			    const struct runtime_event *event)
{
	return event->kind == RUNTIME_END ||
	       (event->kind == RUNTIME_CHANGE && event->node->parent != event->before &&
		!(channel->says & CONTEXT_SAYS_SNAPSHOTS));
}

/* Where the snapshot of an event counts; NULL: there is no memory. */
static inline struct context_node *context_of(struct channel_thread *own,
					      const struct runtime_event *event)
{
	const struct channel *channel = own->channel;
	struct context_node *node = event->before;

	if (unlikely(channel->sums_events))
		node = own->counted = happens_below(own->thread, node, event);
	return unlikely(channel->key_count) ? keyed_node(own, node) : node;
}

static void take_snapshot(struct channel_thread *own, const struct runtime_event *event)
{
	struct context_node *node = context_of(own, event);
	uint64_t *row = node ? rows_at(own, node->number) : NULL;

	if (unlikely(!row)) {
		spool_lose_memory();
		return;
	}
	take_metrics(own, row, !row[ROW_SNAPSHOTS]);
	row[ROW_SNAPSHOTS]++;
	if (event->kind == RUNTIME_SET || event->kind == RUNTIME_START)
		aggregate_give(own, event->before, event->attribute, event->value);
	if (!ends_one(own->channel, event))
		return;
	if (event->kind == RUNTIME_END && unlikely(event->node != event->before) &&
	    !own->channel->sums_events)
		row = row_of_end(own, event, row);
	if (row)
		take_end(own, row);
}

static void add_cells(uint64_t *to, const uint64_t *from, uint32_t type, bool first)
{
	to[0] = number_add(type, to[0], from[0]);
	to[1] = first ? from[1] : number_least(type, to[1], from[1]);
	to[2] = first ? from[2] : number_most(type, to[2], from[2]);
}

void aggregate_add(const struct channel *channel, const struct context_node *node,
		   uint64_t *to, const uint64_t *from)
{
	bool first = !to[ROW_SNAPSHOTS];

	if (node->flags & CONTEXT_METRIC) {
		add_cells(to + ROW_METRICS, from + ROW_METRICS,
			  attributes_get(node->attribute)->type, first);
	} else {
		for (uint32_t i = 0; i < channel->metric_count; i++) {
			const struct service_metric *metric = channel->metrics[i].metric;
			bool at_end = metric->kind == SERVICE_AT_END;

			if (at_end && !from[ROW_ENDS])
				continue;
			add_cells(to + ROW_METRICS + 3 * i, from + ROW_METRICS + 3 * i,
				  metric->type, at_end ? !to[ROW_ENDS] : first);
		}
	}
	to[ROW_SNAPSHOTS] += from[ROW_SNAPSHOTS];
	to[ROW_ENDS] += from[ROW_ENDS];
}

/* As for the peer, whose sums say what began or ended, unless a channel is told not to;
 * the service event, which may be started later, has the setting. */
static bool wants_events(const struct channel *channel)
{
	return channels.keeps &&
	       settings_is_true(&channel->settings, "EVENT_ENABLE_SNAPSHOT_INFO", true) &&
	       happens_init();
}

/* AGGREGATE_KEY: names of attributes whose values tell contexts apart. AGGREGATE_SLOT:
 * records say the order of contexts. */
static const char *start_aggregate(struct channel *channel)
{
	const char *names = settings_get(&channel->settings, "AGGREGATE_KEY");

	channel->sums = true;
	if (channels.keeps) /* programs with <caliper/cali.h> */
		channel->says |= CONTEXT_SAYS_SNAPSHOTS;
	channel->sums_events = wants_events(channel);
	if (channel->sums_events)
		channel->says |= CONTEXT_SAYS_HAPPENS;
	if (settings_is_true(&channel->settings, "AGGREGATE_SLOT", false))
		channel->says |= CONTEXT_SAYS_SLOTS;
	for (int length; names && *names; names += length + (names[length] == ',')) {
		length = (int)strcspn(names, ",");
		if (!length || channel->key_count == CHANNEL_KEYS_MAX)
			continue;
		const char *name = settings_keep(names, (size_t)length);

		if (name)
			channel->keys[channel->key_count++] =
				(struct channel_key){name, 0, -1};
	}
	return NULL;
}

const struct service service_aggregate = {
	.name = "aggregate",
	.about = "count, sum, least and most of what is measured, for each context",
	.keys = "AGGREGATE_KEY AGGREGATE_SLOT",
	.start = start_aggregate,
	.on_snapshot = take_snapshot,
};
