/* Values that are added to single snapshots. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SNAPSHOT_VALUES_H
#define TRAMMEL_RUNTIME_CHANNEL_SNAPSHOT_VALUES_H

#include "runtime/store/state.h"

struct channel;
struct channel_thread;

/* Values of one snapshot alone. */
struct given_values {
	const trm_attribute *attributes;
	const struct trm_value *values;
	size_t count;
};

/* Takes a snapshot of this thread with the values `given` in each of the `count`
 * channels that measures. */
void channels_give(struct channel *const *channels, size_t count,
		   const struct given_values *given);

/* Adds values to the last snapshots that the channels took of this thread; each snapshot
 * gets them once. */
void channels_add(struct channel *const *channels, size_t count,
		  const struct given_values *given);

struct given_bits {
	uint32_t attribute;
	uint64_t bits;
};

/* Takes a snapshot with `count` values at time `now` (ticks), as if the busy thread were
 * in the context `node`. Values that can be summed are. */
void channel_give_at(struct channel_thread *own, struct context_node *node, uint64_t now,
		     const struct given_bits *values, size_t count);

#endif
