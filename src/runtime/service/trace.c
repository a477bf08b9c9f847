/*
 * trace: each snapshot is kept, in blocks of the thread's own. An item is
 *
 *     ticks, what, then by `what` a value, and the metrics that have a place
 *
 * where `what` is a kind (8 bits), a flag, and the number of a node or an attribute.
 */
#include "runtime/channel/internal.h"
#include "runtime/service/trace.h"

#include <string.h>

enum { BLOCK = 256 << 10, BLOCK_WORDS = (BLOCK - sizeof(struct trace_block)) / 8 };

void trace_deinit(struct channel_thread *own)
{
	struct trace_block *block = own->first_block;

	while (block) {
		struct trace_block *next = block->next;

		runtime_unmap(block, BLOCK);
		block = next;
	}
	own->first_block = own->last_block = NULL;
	own->traced = own->dropped = 0;
}

uint32_t trace_metrics(const struct channel *channel, uint32_t *ret_metrics)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < channel->metric_count; i++) {
		const struct service_metric *metric = channel->metrics[i].metric;

		/* The time follows from the stamps. */
		if (metric->ticks || metric->kind == SERVICE_AT_END)
			continue;
		ret_metrics[count++] = i;
	}
	return count;
}

/* The limit is reached: the oldest block is used again, or nothing more is kept. */
static struct trace_block *reuse(struct channel_thread *own)
{
	struct trace_block *block = own->first_block;

	if (!own->channel->trace.drops_oldest || !block || block == own->last_block)
		return NULL;
	own->first_block = block->next;
	own->dropped += block->items;
	own->blocks--;
	return block;
}

static struct trace_block *next_block(struct channel_thread *own)
{
	uint64_t limit = own->channel->trace.limit;
	struct trace_block *block = NULL;

	if (limit && (own->blocks + 1) * BLOCK > limit && own->blocks)
		block = reuse(own);
	else
		block = runtime_map(BLOCK);
	if (!block)
		return NULL;
	block->next = NULL;
	block->used = block->items = 0;
	if (own->last_block)
		own->last_block->next = block;
	else
		own->first_block = block;
	own->last_block = block;
	own->blocks++;
	return block;
}

/* By the order of enum runtime_event_kind. */
static uint32_t number_of(const struct runtime_event *event)
{
	if (event->kind <= RUNTIME_CHANGE)
		return event->node->number;
	return event->kind >= RUNTIME_PUSH ? event->before->number : event->attribute;
}

static void take(struct channel_thread *own, const struct runtime_event *event)
{
	const struct channel *channel = own->channel;
	struct trace_block *block = own->last_block;
	bool has_value = trace_has_value(event->kind);
	uint64_t *at;

	if (unlikely(!block || block->used + TRACE_HEAD + 1 + channel->metric_count >
				       BLOCK_WORDS)) {
		block = next_block(own);
		if (!block) {
			own->dropped++;
			return;
		}
	}
	at = block->words + block->used;
	*at++ = event->now;
	*at++ = (uint64_t)event->kind << 56 | (uint64_t)event->before->number << 28 |
		number_of(event);
	if (has_value)
		*at++ = event->value;
	for (uint32_t i = 0; i < channel->metric_count; i++) {
		const struct service_metric *metric = channel->metrics[i].metric;

		if (!metric->ticks && metric->kind != SERVICE_AT_END)
			*at++ = own->values[i];
	}
	own->traced++;
	block->items++;
	__atomic_store_n(&block->used, (uint64_t)(at - block->words), __ATOMIC_RELEASE);
}

static const char *start(struct channel *channel)
{
	const char *policy = settings_get(&channel->settings, "TRACE_BUFFER_POLICY");
	uint64_t megabytes = settings_number(&channel->settings, "TRACE_BUFFER_SIZE", 2);

	channel->timed = true;
	if (!policy || !strcmp(policy, "grow"))
		return NULL;
	channel->trace.limit = megabytes << 20;
	channel->trace.drops_oldest = !strcmp(policy, "drop-oldest");
	if (strcmp(policy, "stop") != 0 && !channel->trace.drops_oldest) {
		channel->trace.limit = 0;
		settings_warn("'%s': TRACE_BUFFER_POLICY '%s' cannot be had: there are "
			      "grow (taken), stop and drop-oldest",
			      channel->name, policy);
	}
	return NULL;
}

static void write_traces(struct channel *channel, const struct publish_sink *sink)
{
	output_traces(channel, sink);
}

const struct service service_trace = {
	.name = "trace",
	.about = "each snapshot with its time",
	.keys = "TRACE_BUFFER_SIZE TRACE_BUFFER_POLICY",
	.start = start,
	.take = take,
	.write = write_traces,
};
