/* Values that single channels have, outside the program's state. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CHANNEL_VALUES_H
#define TRAMMEL_RUNTIME_CHANNEL_CHANNEL_VALUES_H

#include "runtime/events/caliper_host_api.h"

struct channel;

/* Begins, sets or ends a value in the `count` channels alone, as `how` says. */
void channels_hold(struct channel *const *channels, size_t count,
		   enum trm_runtime_holding how, trm_attribute attribute,
		   const struct trm_value *value);

/* Gets the innermost value of `attribute` that the channel alone has; returns false if
 * it has none. */
bool channel_held(struct channel *channel, trm_attribute attribute,
		  struct trm_value *ret_value);

/* Visits the innermost value of each attribute that the channel alone has; called during
 * a flush. */
void channel_each_held(struct channel *channel,
		       void (*visit)(void *context, uint32_t attribute, uint64_t bits),
		       void *context);

#endif
