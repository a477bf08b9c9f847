/* Declarations that the files of channels share, and services do not need. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CHANNELS_H
#define TRAMMEL_RUNTIME_CHANNEL_CHANNELS_H

#include "runtime/channel/channel.h"
#include "runtime/store/lock.h"
#include "runtime/store/state.h"

struct channels {
	struct channel *items[CHANNELS_MAX];
	uint32_t active; /* a bit a channel */
	uint32_t keeps;  /* RUNTIME_KEEPS: the program asks for its state */
	struct runtime_lock lock;
};
extern struct channels channels;

/* By number of the channel: the id of the scoped channel that measures this thread. */
extern runtime_local uint32_t channels_here[CHANNELS_MAX];

/* Tells whether the channel measures this thread. */
static inline bool channel_is_here(const struct channel *channel)
{
	return likely(!channel->scoped) || channels_here[channel->number] == channel->id;
}

/* By number of the channel: the record of this thread in it. */
extern runtime_local struct channel_thread *channels_own[CHANNELS_MAX];

#endif
