/* held.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CHANNEL_VALUES_H
#define TRAMMEL_RUNTIME_CHANNEL_CHANNEL_VALUES_H

#include "runtime/events/caliper_host_api.h"

struct channel;

/* Begins, sets or ends a value of these channels alone. */
void channels_hold(struct channel *const *channels, size_t count,
		   enum trm_runtime_holding how, trm_attribute attribute,
		   const struct trm_value *value);

/* The innermost value that the channel has alone; false: there is none. */
bool channel_held(struct channel *channel, trm_attribute attribute,
		  struct trm_value *ret_value);

/* The innermost of each attribute; in a flush. */
void channel_each_held(struct channel *channel,
		       void (*visit)(void *context, uint32_t attribute, uint64_t bits),
		       void *context);

#endif
