/*
 * trace: each snapshot is kept, in blocks of the spool: wire/context.h tells how.
 */
#include "runtime/channel/trace.h"

#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/values.h"
#include "wire/context_channel.h"

#include <string.h>

enum { BLOCK = SPOOL_RUN * CONTEXT_BLOCK };

void trace_deinit(struct channel_thread *own)
{
	struct context_block *block = own->first_block;

	while (block) {
		struct context_block *next = (void *)(uintptr_t)block->link;

		spool_free(block);
		block = next;
	}
	own->first_block = own->last_block = own->unflushed = NULL;
	own->unflushed_count = 0;
	own->traced = own->dropped = own->blocks = 0;
}

/* The limit is reached: the oldest block is used again, or nothing more is kept. */
static struct context_block *reuse_block(struct channel_thread *own)
{
	struct context_block *block = own->first_block;

	if (!own->channel->service_data.trace.drops_oldest || !block ||
	    block == own->last_block)
		return NULL;
	own->first_block = (void *)(uintptr_t)block->link;
	own->dropped++;
	own->blocks--;
	return block;
}

/* The limit is reached: what is in the blocks is left to the file, but for the last one,
 * which is to be linked to another. */
static void flush_block(struct channel_thread *own)
{
	if ((own->unflushed_count + 1) * BLOCK <= own->channel->service_data.trace.limit)
		return;
	while (own->unflushed && own->unflushed != own->last_block) {
		struct context_block *block = own->unflushed;

		own->unflushed = (void *)(uintptr_t)block->link;
		spool_release(block);
	}
	own->unflushed_count = own->unflushed != NULL;
}

static struct context_block *next_block(struct channel_thread *own)
{
	uint64_t limit = own->channel->service_data.trace.limit;
	struct context_block *block = NULL;

	if (own->channel->service_data.trace.flushes)
		flush_block(own);
	if (limit && !own->channel->service_data.trace.flushes &&
	    (own->blocks + 1) * BLOCK > limit && own->blocks)
		block = reuse_block(own);
	else
		block = channel_block(own, CONTEXT_SNAPSHOTS, SPOOL_RUN);
	if (!block)
		return NULL;
	block->link = 0;
	__atomic_store_n(&block->used, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&block->order, ++own->order, __ATOMIC_RELEASE);
	if (own->last_block)
		own->last_block->link = (uintptr_t)block;
	else
		own->first_block = block;
	own->last_block = block;
	own->blocks++;
	own->unflushed_count++;
	if (!own->unflushed)
		own->unflushed = block;
	return block;
}

/* By the order of enum runtime_event_kind. */
static uint32_t number_of(const struct runtime_event *event)
{
	if (event->kind <= RUNTIME_CHANGE)
		return event->node->number;
	return event->kind >= RUNTIME_PUSH && event->kind < RUNTIME_GIVEN
		       ? event->before->number
		       : event->attribute;
}

static void take_snapshot(struct channel_thread *own, const struct runtime_event *event)
{
	const struct channel *channel = own->channel;
	struct context_block *block = own->last_block;
	size_t most =
		(CONTEXT_SNAPSHOT_WORDS + 1 + channel->metric_count) * sizeof(uint64_t);
	uint64_t *at;

	if (unlikely(!block || sizeof(*block) + block->used + most > BLOCK)) {
		block = next_block(own);
		if (!block) {
			own->dropped++;
			if (!channel->service_data.trace.limit)
				spool_lose_memory();
			return;
		}
	}
	at = (uint64_t *)(void *)((char *)(block + 1) + block->used);
	*at++ = event->now;
	*at++ = (uint64_t)event->kind << 2 * CONTEXT_SNAPSHOT_BITS |
		(uint64_t)event->before->number << CONTEXT_SNAPSHOT_BITS |
		number_of(event);
	if (context_snapshot_has_value(event->kind))
		*at++ = event->value;
	for (uint32_t i = 0; i < channel->metric_count; i++)
		if (channel->metrics[i].traced)
			*at++ = own->values[i];
	own->traced++;
	__atomic_store_n(&block->used, (uint32_t)((char *)at - (char *)(block + 1)),
			 __ATOMIC_RELEASE);
}

void trace_begin(struct channel_thread *own, const struct runtime_event *event)
{
	struct runtime_event mark = *event;

	mark.kind = RUNTIME_RESUME;
	mark.value = own->channel->clock.started;
	take_snapshot(own, &mark);
}

/* A value of the process that was set before the channel began. */
static void keep_early(void *context, uint32_t attribute, uint64_t bits)
{
	struct channel_thread *own = context;
	struct context_node *node = own->thread->node;

	if (!(attributes_get(attribute)->properties & CONTEXT_OF_LIBRARY))
		take_snapshot(own,
			      &(struct runtime_event){RUNTIME_KEPT, attribute, bits, node,
						      node, own->channel->clock.started});
}

void trace_resume(struct channel_thread *own, const struct runtime_event *event)
{
	struct channel *channel = own->channel;

	if (own->traced)
		trace_begin(own, event);
	/* The first thread says it for all. */
	if (channel->traces &&
	    __atomic_exchange_n(&channel->early, channel->generation, __ATOMIC_RELAXED) !=
		    channel->generation)
		values_each_process(keep_early, own);
}

void trace_mark(struct channel_thread *own, enum runtime_event_kind kind,
		struct context_node *node, uint32_t attribute, uint64_t bits)
{
	take_snapshot(own, &(struct runtime_event){kind, attribute, bits, node, node,
						   runtime_ticks()});
}

static const struct policy {
	const char *name;
	bool limited, drops_oldest, flushes;
} policies[] = {
	{"grow", false, false, false},
	{"stop", true, false, false},
	{"drop-oldest", true, true, false},
	{"flush", true, false, true},
};

static const char *start_trace(struct channel *channel)
{
	const char *name = settings_get(&channel->settings, "TRACE_BUFFER_POLICY");
	uint64_t megabytes = settings_number(&channel->settings, "TRACE_BUFFER_SIZE", 2);

	channel->timed = true;
	channel->traces = true;
	for (size_t i = 0; name && i < sizeof(policies) / sizeof(policies[0]); i++) {
		const struct policy *policy = &policies[i];

		if (strcmp(name, policy->name) != 0)
			continue;
		channel->service_data.trace = (struct trace_settings){
			policy->limited ? megabytes << 20 : 0,
			policy->drops_oldest,
			policy->flushes,
		};
		return NULL;
	}
	if (name)
		log_warn("'%s': TRACE_BUFFER_POLICY '%s' cannot be had: there are "
			 "grow (taken), stop, drop-oldest and flush",
			 channel->name, name);
	return NULL;
}

const struct service service_trace = {
	.name = "trace",
	.about = "each snapshot with its time",
	.keys = "TRACE_BUFFER_SIZE TRACE_BUFFER_POLICY",
	.start = start_trace,
	.on_snapshot = take_snapshot,
};
