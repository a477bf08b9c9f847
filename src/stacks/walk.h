/* Walks of stacks that were read from a process, where what is mapped is maybe not known
 * yet. */
#ifndef TRAMMEL_STACKS_WALK_H
#define TRAMMEL_STACKS_WALK_H

#include "sample/sampler.h"

struct stacks_walker {
	struct sampler *sampler; /* has processes and sums; not owned */
	uint64_t read_ns; /* when mappings were read last, since a frame was in none */
	uint32_t read_image;
};

/* Adds the frames of a stack to the sums; parameters as for sampler_add_path. Returns the
 * node of the innermost; 0: there is no room. */
uint32_t stacks_walk(struct stacks_walker *walker, uint32_t image,
		     const struct sample_record *record, bool partial);

#endif
