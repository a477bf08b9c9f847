/* What a program asks of its own channels: the sums of a metric, context by context. */
#include "runtime/channel/sums.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/rows.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/events/events.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/tree.h"
#include "runtime/store/values.h"

#include <string.h>

static double number_of(uint32_t type, uint64_t bits)
{
	double value;

	if (type == TRM_TYPE_DOUBLE)
		memcpy(&value, &bits, sizeof(value));
	else
		value = type == TRM_TYPE_INT ? (double)(int64_t)bits : (double)bits;
	return value;
}

/* What is open in a context, innermost first. */
static void show_path(const struct trm_runtime_sums *sums,
		      const struct context_node *node)
{
	for (; node && node->parent; node = node->parent) {
		const struct context_attribute *known = attributes_get(node->attribute);
		struct trm_value value = values_from_bits(known, node->value);

		if (!sums->open(sums->context, node->attribute, &value))
			return;
	}
}

/* The thread may go on meanwhile: its nodes stay, and those that come are not looked at.
 */
static void show_rows(const struct channel_thread *own, uint32_t metric, double unit,
		      const struct trm_runtime_sums *sums)
{
	uint32_t count = __atomic_load_n(&own->thread->node_count, __ATOMIC_ACQUIRE);
	struct context_node **nodes = tree_nodes(own->thread, count);

	for (uint32_t i = 0; nodes && i < count && i < own->rows.most; i++) {
		const uint64_t *row = rows_find(own, i);

		if (!row || !row[ROW_SNAPSHOTS] || !nodes[i] ||
		    nodes[i]->flags & CONTEXT_METRIC)
			continue;
		sums->row(sums->context,
			  unit * number_of(own->channel->metrics[metric].type,
					   row[ROW_METRICS + 3 * metric]));
		show_path(sums, nodes[i]);
	}
	runtime_unmap(nodes, (count + 1) * sizeof(struct context_node *));
}

static void show_threads(struct channel *channel, uint32_t metric,
			 const struct trm_runtime_sums *sums)
{
	double unit =
		channel->metrics[metric].metric->ticks ? channel_tick_ns(channel) : 1;

	for (struct channel_thread *own = channel->threads; own; own = own->next)
		if (own->clearing == channel->clearing)
			show_rows(own, metric, unit, sums);
	if (channel->ended)
		show_rows(channel->ended, metric, unit, sums);
}

void channel_sums(struct channel *channel, const char *name,
		  const struct trm_runtime_sums *sums)
{
	int metric = channel_metric(channel, name);

	if (metric < 0 || !channel_has(channel, "aggregate"))
		return;
	channel_push(channel);
	if (!events_enter())
		return;
	runtime_lock(&channel->lock);
	show_threads(channel, (uint32_t)metric, sums);
	runtime_unlock(&channel->lock);
	events_leave();
}
