/*
 * async_event: a snapshot at the begin, and one at the end, of each event that begins in
 * one place and ends in another: of cali::TimedAsyncEvent, and, with MPI_MSG_PATTERN, of
 * receives that are waited for later.
 */
#include "runtime/service/calls/async_event.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/store/attributes.h"

#include <string.h>

static uint32_t wanted; /* some channel did have the service */

void async_event_say(const char *name, const uint64_t *ns)
{
	const struct trm_value values[] = {
		{TRM_TYPE_STRING, (uint32_t)strlen(name), {.bytes = name}},
		{TRM_TYPE_UINT, 0, {.u = ns ? *ns : 0}}};
	struct channel *asked[CHANNELS_MAX];
	trm_attribute attributes[2];
	size_t count = 0;

	if (!__atomic_load_n(&wanted, __ATOMIC_RELAXED))
		return;
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channel_at(i);

		if (channel && channel_measures(channel) &&
		    channel_has(channel, "async_event"))
			asked[count++] = channel;
	}
	attributes[0] = attributes_create(ns ? "async.end" : "async.begin",
					  TRM_TYPE_STRING, TRM_SKIP_EVENTS);
	attributes[1] =
		attributes_create("event.duration.ns", TRM_TYPE_UINT,
				  TRM_AS_VALUE | TRM_SKIP_EVENTS | TRM_AGGREGATABLE);
	if (count && attributes[0] && attributes[1])
		channels_give(asked, count,
			      &(struct given_values){attributes, values, ns ? 2 : 1});
}

static const char *async_event_start(struct channel *channel)
{
	(void)channel;
	__atomic_store_n(&wanted, 1, __ATOMIC_RELAXED);
	return NULL;
}

const struct service service_async_event = {
	.name = "async_event",
	.about = "what begins in one place and ends in another",
	.start = async_event_start,
};
