/*
 * What channels measured, from the spool that has it: sums by context, and traces.
 */
#ifndef TRAMMEL_CONTEXT_CHANNELS_H
#define TRAMMEL_CONTEXT_CHANNELS_H

#include "context/reader.h"

struct context_channels VECTOR(const struct context_channel *);

/* The channels of a process, in the order in which they were made. */
struct context_channels context_channels_of(const struct context_process *process);

/* Says what is known of an address, below a node, in front of the address's own node,
 * and returns the node for that one to be below. */
typedef record_node context_lookup(void *context, record_node node,
				   record_attribute attribute, uint64_t address);

/* Who looks up, from what a spool knows of its process's modules. `begin` returns what
 * the two others get; NULL: nothing is looked up. */
struct context_naming {
	void *(*begin)(const struct context_process *process,
		       const struct context_channel *channel, struct record_model *model);
	context_lookup *look_up;
	void (*end)(void *context);
};

struct context_channel_saving {
	struct trm_writer *writer;
	struct record_model *model;
	uint64_t image; /* that all records are of; 0: of none */
	double ns_per_tick;
	context_lookup *look_up; /* NULL: addresses are said alone */
	void *context;           /* of that */
};

/* Writes the records of a channel, by its number; nothing if there is none of it. */
void context_channel_save(const struct context_channel_saving *saving,
			  const struct context_process *process, uint32_t channel);

/* Whether it has any. */
bool context_channel_has(const struct context_process *process, uint32_t channel);

#endif
