/*
 * Calls of the C library that services see: in channels that trace, each can make a
 * snapshot with what is known of it.
 */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_CALLS_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_CALLS_H

#include "runtime/channel/channel.h"

enum { CALLS_TEXTS_MAX = 4 };

/* The channels that want snapshots of a call, between calls_begin() and calls_tell(). */
struct calls_wanted {
	struct channel *channels[CHANNELS_MAX];
	size_t count;
	int saved; /* errno */
};

/* Finds the channels that want snapshots of calls of this kind; returns false if none
 * does. Until calls_tell() the library's own work does not count as the program's, as
 * after events_enter(). */
bool calls_begin(enum channel_calls kind, struct calls_wanted *ret_wanted);
/* Takes the snapshots. `texts`: the values of `count` attributes of the call, at most
 * CALLS_TEXTS_MAX. */
void calls_tell(struct calls_wanted *wanted, const trm_attribute *attributes,
		const char *const *texts, size_t count);

#endif
