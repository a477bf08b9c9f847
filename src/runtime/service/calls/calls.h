/*
 * Calls of the C library that services see: in channels that trace, each can make a
 * snapshot with what is known of it.
 */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_CALLS_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_CALLS_H

#include "runtime/channel/channel.h"

enum { CALLS_TEXTS_MAX = 4 };

/* Channels that want snapshots of such a call, between two other steps. */
struct calls_wanted {
	struct channel *channels[CHANNELS_MAX];
	size_t count;
	int saved; /* errno */
};

/* False if nobody wants any. Until calls_tell what the library does is not the program's,
 * as it is inside of events_enter. */
bool calls_begin(enum channel_calls kind, struct calls_wanted *ret_wanted);
/* `texts`: what the call was, by `count` attributes, at most CALLS_TEXTS_MAX. */
void calls_tell(struct calls_wanted *wanted, const trm_attribute *attributes,
		const char *const *texts, size_t count);

#endif
