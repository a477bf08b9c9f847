/*
 * A set of addresses: the starts of blocks of the heap that were seen when they were
 * allocated. It has a bit for each possible start, in a table of three levels. Any number
 * of threads may use a set at once, without a lock.
 */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_BLOCKS_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	BLOCKS_ALIGN_BITS = 3, /* no allocator gives blocks that are aligned less */
	BLOCKS_LEAF_BITS = 20, /* a leaf is for 8 MiB of addresses, in 128 KiB */
	BLOCKS_BRANCH_BITS = 12,
	BLOCKS_ROOT_BITS = 12, /* in sum 47: the addresses of programs */
};

struct blocks_branch {
	uint64_t *leaves[1 << BLOCKS_BRANCH_BITS];
};

/* Zeroed when it is new. */
struct blocks {
	struct blocks_branch *branches[1 << BLOCKS_ROOT_BITS];
};

/* Adds a block that starts at `start`. Returns false if it was there, or there is no
 * memory. */
bool blocks_add(struct blocks *blocks, const void *start);
/* Removes a block. Returns false if it was not there. */
bool blocks_take(struct blocks *blocks, const void *start);
/* Removes all blocks. */
void blocks_clear(struct blocks *blocks);

#endif
