/* Sums of snapshots, one row for each context. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_AGGREGATE_H
#define TRAMMEL_RUNTIME_CHANNEL_AGGREGATE_H

#include <stdint.h>

struct channel;
struct channel_thread;
struct context_node;

/* Adds a value of `attribute` in the context `node` to the sums, if the attribute can be
 * summed. */
void aggregate_give(struct channel_thread *own, struct context_node *node,
		    uint32_t attribute, uint64_t bits);

/* Adds the row `from` to the row `to`; both belong to nodes of the kind of `node`. */
void aggregate_add(const struct channel *channel, const struct context_node *node,
		   uint64_t *to, const uint64_t *from);

#endif
