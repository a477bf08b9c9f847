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

/* The block of this number in the file, which was given out. */
static inline void *spool_at(uint64_t number)
{
	const uint64_t blocks = RUNTIME_SEGMENT / CONTEXT_BLOCK;

	return runtime_segments[number / blocks] + number % blocks * CONTEXT_BLOCK;
}

enum { SPOOL_RUN = 64 };

/* The spool of this process, made in the folder; NULL: in memory, for nobody else to
 * read. False: none can be made. */
bool spool_open(const char *folder);

/* Where it is. */
const char *spool_path(void);

/* In a child of fork: a spool of its own takes the place of the parent's in memory, with
 * the strings and attributes that are known. False: there is none, and the parent's may
 * not be touched. */
bool spool_copy(const char *folder);

/* In a child of fork: another thread may have held the lock. */
void spool_resume(void);

/* A block, `run` of them together, with its head filled in and all else 0; NULL if there
 * is no room. */
struct context_block *spool_block(enum context_block_kind kind, uint32_t owner,
				  uint32_t run);

/* Gives a block back that has a run of 1, or of SPOOL_RUN. */
void spool_free(struct context_block *block);

/* What a block has goes to the file and takes no memory of the process, until it is
 * looked at again; nothing where there is no file. */
void spool_release(struct context_block *block);

/* What is in memory goes to a file in the folder, where it stays however the process
 * ends, if at most `threads` threads have a record: nobody else may write meanwhile, nor
 * strings and attributes be added. False: it stays in memory. */
bool spool_move(const char *folder, uint32_t threads);

/* All that was given out, in one piece of memory of runtime_map; NULL: there is none for
 * it. Other threads may go on. */
void *spool_gather(size_t *ret_size);

/* Counts an event, or a part of it, for which there was no memory. */
static inline void spool_lose_memory(void)
{
	__atomic_add_fetch(&runtime_spool->lost_for_memory, 1, __ATOMIC_RELAXED);
}

#endif
