/* The spool: the file, or memory, that everything recorded lies in, given out in blocks.
 */
#ifndef TRAMMEL_RUNTIME_STORE_SPOOL_H
#define TRAMMEL_RUNTIME_STORE_SPOOL_H

#include "wire/context.h"

#include <stdbool.h>
#include <stddef.h>

extern struct context_spool *runtime_spool;

enum {
	/* Bytes of the spool that are mapped at a time: a huge page, which the kernel may
	 * fill and map in one go. */
	RUNTIME_SEGMENT = 2 << 20,
	RUNTIME_SEGMENTS_MAX = 8192,
};
extern char *runtime_segments[RUNTIME_SEGMENTS_MAX];

/* Returns the block of this number in the file, which must have been given out. */
static inline void *spool_at(uint64_t number)
{
	const uint64_t blocks = RUNTIME_SEGMENT / CONTEXT_BLOCK;

	return runtime_segments[number / blocks] + number % blocks * CONTEXT_BLOCK;
}

enum { SPOOL_RUN = 64 };

/* Makes the spool of this process in the folder; NULL: in memory, where other processes
 * cannot read it. Returns false if it cannot. */
bool spool_open(const char *folder);

/* Returns the path of the spool. */
const char *spool_path(void);

/* Replaces the parent's spool in memory by one of the child's own, with the strings and
 * attributes that are known; in a child of fork. Returns false if it cannot; the
 * parent's must not be written to. */
bool spool_copy(const char *folder);

/* Frees the lock in a child of fork: another thread may have held it. */
void spool_resume(void);

/* Takes a block, or `run` blocks together, with its head filled in and all else 0;
 * returns NULL if there is no room. */
struct context_block *spool_block(enum context_block_kind kind, uint32_t owner,
				  uint32_t run);

/* Gives back a block that has a run of 1, or of SPOOL_RUN. */
void spool_free(struct context_block *block);

/* Moves the contents of a block to the file, so that it takes no memory of the process
 * until it is read again; does nothing without a file. */
void spool_release(struct context_block *block);

/* Moves a spool in memory to a file in the folder, where it stays however the process
 * ends, if at most `threads` threads have a record. Meanwhile no other thread may write,
 * nor may strings and attributes be added. Returns false if it stays in memory. */
bool spool_move(const char *folder, uint32_t threads);

/* Copies all blocks that were given out into one piece of memory of runtime_map();
 * returns NULL if there is none for it. Other threads may go on. */
void *spool_gather(size_t *ret_size);

/* Counts an event, or a part of it, for which there was no memory. */
static inline void spool_lose_memory(void)
{
	__atomic_add_fetch(&runtime_spool->lost_for_memory, 1, __ATOMIC_RELAXED);
}

#endif
