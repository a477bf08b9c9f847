/*
 * Values that a program gives to a channel alone: it asks for them again, and globals
 * among them are in what the channel writes. No thread has them, nor has a snapshot.
 */
#include "runtime/channel/channel_values.h"
#include "runtime/channel/channel.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/events/events.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/values.h"

#include <string.h>

enum { HELD_MAX = 256 };

/* The innermost of the attribute; NULL: there is none. */
static struct channel_value *find_value(const struct channel *channel, uint32_t attribute)
{
	for (uint32_t i = channel->values.held_count; i > 0; i--)
		if (channel->values.held[i - 1].attribute == attribute)
			return &channel->values.held[i - 1];
	return NULL;
}

static void drop_value(struct channel *channel, struct channel_value *value)
{
	struct channel_value *end = channel->values.held + channel->values.held_count--;

	memmove(value, value + 1, (size_t)(end - value - 1) * sizeof(*value));
}

static bool add_value(struct channel *channel, uint32_t attribute, uint64_t bits)
{
	if (!channel->values.held)
		channel->values.held =
			runtime_map(HELD_MAX * sizeof(*channel->values.held));
	if (!channel->values.held || channel->values.held_count == HELD_MAX)
		return false;
	channel->values.held[channel->values.held_count++] =
		(struct channel_value){attribute, bits};
	return true;
}

static void hold_value(struct channel *channel, enum trm_runtime_holding how,
		       uint32_t number, uint64_t bits)
{
	struct channel_value *value;

	runtime_lock(&channel->lock);
	value = find_value(channel, number);
	if (how == TRM_HOLD_END && value)
		drop_value(channel, value);
	else if (how == TRM_HOLD_SET && value)
		value->bits = bits;
	else if (how != TRM_HOLD_END && !add_value(channel, number, bits))
		spool_lose_memory();
	runtime_unlock(&channel->lock);
}

void channels_hold(struct channel *const *wanted, size_t count,
		   enum trm_runtime_holding how, trm_attribute number,
		   const struct trm_value *value)
{
	const struct context_attribute *attribute = attributes_get(number);
	struct context_thread *thread = attribute ? events_enter() : NULL;
	uint64_t bits = 0;

	if (!thread)
		return;
	if (how == TRM_HOLD_END || events_to_bits(attribute, value, &bits))
		for (size_t i = 0; i < count; i++)
			hold_value(wanted[i], how, number, bits);
	events_leave();
}

bool channel_held(struct channel *channel, trm_attribute number,
		  struct trm_value *ret_value)
{
	const struct context_attribute *attribute = attributes_get(number);
	const struct channel_value *value;
	uint64_t bits = 0;

	if (!attribute)
		return false;
	runtime_lock(&channel->lock);
	value = find_value(channel, number);
	if (value)
		bits = value->bits;
	runtime_unlock(&channel->lock);
	if (value)
		*ret_value = values_from_bits(attribute, bits);
	return value != NULL;
}

void channel_each_held(struct channel *channel,
		       void (*visit)(void *context, uint32_t attribute, uint64_t bits),
		       void *context)
{
	for (uint32_t i = 0; i < channel->values.held_count; i++)
		if (find_value(channel, channel->values.held[i].attribute) ==
		    &channel->values.held[i])
			visit(context, channel->values.held[i].attribute,
			      channel->values.held[i].bits);
}
