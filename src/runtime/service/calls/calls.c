#include "runtime/service/calls/calls.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/events/events.h"

#include <errno.h>

bool calls_begin(enum channel_calls kind, struct calls_wanted *ret_wanted)
{
	ret_wanted->saved = errno;
	ret_wanted->count = 0;
	for (uint32_t active = channels.active; active; active &= active - 1) {
		struct channel *channel = channels.items[__builtin_ctz(active)];

		if (channel && channel->calls_seen & kind && channel->traces)
			ret_wanted->channels[ret_wanted->count++] = channel;
	}
	return ret_wanted->count && events_enter();
}

void calls_tell(struct calls_wanted *wanted, const trm_attribute *attributes,
		const char *const *texts, size_t count)
{
	struct trm_value values[CALLS_TEXTS_MAX];

	events_leave();
	for (size_t i = 0; i < count; i++)
		values[i] = trm_value_string(texts[i]);
	channels_give(wanted->channels, wanted->count,
		      &(struct given_values){attributes, values, count});
	errno = wanted->saved;
}
