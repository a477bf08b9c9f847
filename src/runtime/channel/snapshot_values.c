/*
 * Snapshots that the program asks for, with values of its own. These hold for the
 * snapshot alone: what is open or set stays as it is, and no other channel sees them.
 */
#include "runtime/channel/snapshot_values.h"
#include "runtime/channel/aggregate.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/event.h"
#include "runtime/channel/trace.h"
#include "runtime/events/events.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"
#include "runtime/store/values.h"

enum { GIVEN_MAX = 128 };

/* A value of the moment, and what was in its place before. */
struct given {
	uint32_t attribute;
	uint64_t bits;
	struct moment before;
};

struct giving {
	struct given items[GIVEN_MAX];
	size_t count;
	struct context_node *node; /* the current one, with contexts that are given */
};

static void take_one(struct context_thread *thread, struct giving *giving,
		     uint32_t number, const struct trm_value *value)
{
	const struct context_attribute *attribute = attributes_get(number);
	const struct moment *moment;
	struct context_node *child;
	uint64_t bits;

	if (!attribute || !events_to_bits(attribute, value, &bits))
		return;
	if (attribute->properties & TRM_AS_VALUE) {
		if (giving->count == GIVEN_MAX) {
			spool_lose_memory();
			return;
		}
		moment = values_get(number);
		giving->items[giving->count++] = (struct given){
			number, bits, moment ? *moment : (struct moment){0}};
		return;
	}
	child = tree_child(thread, giving->node, number, bits);
	if (child)
		giving->node = child;
	else
		spool_lose_memory();
}

/* Values that tell contexts apart are found where all values are. */
static void set_values(const struct giving *giving, uint64_t now)
{
	for (size_t i = 0; i < giving->count; i++)
		values_keep(giving->items[i].attribute, giving->items[i].bits, now);
}

static void restore_values(const struct giving *giving)
{
	for (size_t i = giving->count; i > 0; i--) {
		const struct given *item = &giving->items[i - 1];

		if (item->before.set)
			values_keep(item->attribute, item->before.bits,
				    item->before.began);
		else
			values_drop(item->attribute);
	}
}

static void give_value(struct channel *channel, struct context_thread *thread,
		       const struct giving *giving)
{
	struct channel_thread *own = channel_own(channel, thread);

	if (!own) {
		spool_lose_memory();
		return;
	}
	/* Else the first snapshot would begin the trace anew, without the marks. */
	if (own->generation != channel->generation)
		channel_baseline(channel, thread);
	for (size_t i = 0; channel->traces && i < giving->count; i++)
		trace_mark(own, RUNTIME_GIVEN, giving->node, giving->items[i].attribute,
			   giving->items[i].bits);
	channel_push_at(channel, thread, giving->node);
	for (size_t i = 0; channel->sums && i < giving->count; i++)
		aggregate_give(own, giving->node, giving->items[i].attribute,
			       giving->items[i].bits);
}

void channel_give_at(struct channel_thread *own, struct context_node *node, uint64_t now,
		     const struct given_bits *values, size_t count)
{
	struct channel *channel = own->channel;

	for (size_t i = 0; channel->traces && i < count; i++)
		trace_mark(own, RUNTIME_GIVEN, node, values[i].attribute, values[i].bits);
	channel_settle(channel, own->thread, node, now);
	for (size_t i = 0; channel->sums && i < count; i++)
		aggregate_give(own, node, values[i].attribute, values[i].bits);
}

void channels_give(struct channel *const *wanted, size_t count,
		   const struct given_values *given)
{
	struct context_thread *thread = events_enter();
	struct giving giving;

	if (!thread)
		return;
	giving.count = 0;
	giving.node = thread->node;
	for (size_t i = 0; i < given->count; i++)
		take_one(thread, &giving, given->attributes[i], &given->values[i]);
	set_values(&giving, runtime_ticks());
	for (size_t i = 0; i < count; i++)
		if (channel_measures(wanted[i]) && channel_is_here(wanted[i]))
			give_value(wanted[i], thread, &giving);
	restore_values(&giving);
	events_leave();
}

/* A snapshot that was not taken, as of an event that makes none, gets nothing. */
static void add_to(const struct channel *channel, struct context_thread *thread,
		   const struct given_values *given)
{
	struct channel_thread *own = channels_own[channel->number];
	struct context_node *node = thread->node;
	uint64_t bits;

	if (!own || own->channel != channel || own->added == own->stamp ||
	    own->generation != channel->generation)
		return;
	own->added = own->stamp;
	if (channel->sums_events && own->counted)
		node = own->counted;
	for (size_t i = 0; i < given->count; i++) {
		uint32_t number = given->attributes[i];
		const struct context_attribute *attribute = attributes_get(number);

		if (!attribute || !events_to_bits(attribute, &given->values[i], &bits))
			continue;
		if (channel->traces)
			trace_mark(own, RUNTIME_ADDED, thread->node, number, bits);
		if (channel->sums)
			aggregate_give(own, node, number, bits);
	}
}

void channels_add(struct channel *const *wanted, size_t count,
		  const struct given_values *given)
{
	struct context_thread *thread = events_enter();

	if (!thread)
		return;
	for (size_t i = 0; i < count; i++)
		if (channel_measures(wanted[i]) && channel_is_here(wanted[i]))
			add_to(wanted[i], thread, given);
	events_leave();
}
