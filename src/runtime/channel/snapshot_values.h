/* given.c. */
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

/* Snapshots of this thread with them, in those of the channels that measure. */
void channels_give(struct channel *const *channels, size_t count,
		   const struct given_values *given);

/* Values for the snapshots of this thread that the channels took last, each once. */
void channels_add(struct channel *const *channels, size_t count,
		  const struct given_values *given);

struct given_bits {
	uint32_t attribute;
	uint64_t bits;
};

/* A snapshot with values of its own, as of then (ticks), as if the thread, which is busy,
 * were in the context. What can be summed up is. */
void channel_give_at(struct channel_thread *own, struct context_node *node, uint64_t now,
		     const struct given_bits *values, size_t count);

#endif
