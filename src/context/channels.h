/* Writes the data of channels from a spool: sums by context, and traces. */
#ifndef TRAMMEL_CONTEXT_CHANNELS_H
#define TRAMMEL_CONTEXT_CHANNELS_H

#include "context/reader.h"

struct context_channels VECTOR(const struct context_channel *);

/* The channels of a process, in the order in which they were made. */
struct context_channels context_channels_of(const struct context_process *process);

/* Adds nodes with the names of an address below `node`, and returns the node below
 * which the address's own node belongs. */
typedef record_node context_lookup(void *context, record_node node,
				   record_attribute attribute, uint64_t address);

/* Callbacks that name addresses from a spool's list of modules. `begin` returns the
 * argument of the two others; NULL: addresses are not named. */
struct context_naming {
	void *(*begin)(const struct context_process *process,
		       const struct context_channel *channel, struct record_model *model);
	context_lookup *look_up;
	void (*end)(void *context);
};

struct context_channel_saving {
	struct trm_writer *writer;
	struct record_model *model;
	uint64_t image; /* process image of all records; 0: none */
	double ns_per_tick;
	context_lookup *look_up; /* NULL: addresses have no names beside them */
	void *context;           /* of look_up */
};

/* Writes the records of the channel with this number; nothing if it does not exist. */
void context_channel_save(const struct context_channel_saving *saving,
			  const struct context_process *process, uint32_t channel);

/* Tells whether the process has data of the channel with this number. */
bool context_channel_has(const struct context_process *process, uint32_t channel);

#endif
