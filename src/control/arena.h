/*
 * Arenas and banks, the tracer's side of wire/layout.h. An arena's memfd is made by
 * the program at its first injection and belongs to a program image and all that forks
 * from it. Banks come in chunks; a chunk lies at one address in every process that has it
 * mapped.
 */
#ifndef TRAMMEL_CONTROL_ARENA_H
#define TRAMMEL_CONTROL_ARENA_H

#include "base/error.h"
#include "base/vector.h"
#include "wire/layout.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arena_chunk {
	uint64_t file_offset; /* in the arena's file */
	uint64_t address;     /* in the program */
	uint64_t stride;      /* bytes a bank, header included */
	uint32_t bank_count;
	unsigned int references; /* address spaces that have it mapped */
	uint8_t *shared;         /* the tracer's mapping of it */
};

struct bank {
	struct arena_chunk *chunk;
	uint64_t address; /* in the program: the GS base */
	uint64_t file_offset;
	struct wire_bank *shared; /* the tracer's mapping of the header */
	pid_t owner; /* process whose counts are in it; 0: none, all is zero */
	bool in_use; /* a live thread's GS base */
	bool *pages; /* of flags, by page: some were set there when arena_mark_flags
			looked; NULL: counters are none */
};

/* Bytes of an arena's file. */
struct arena_range {
	uint64_t start, end;
};

struct arena {
	int fd;
	unsigned int references; /* address spaces that use it */
	uint64_t address;        /* of the resident's code in the program */
	uint64_t file_size;      /* bytes */
	struct VECTOR(
		struct arena_range) free; /* of these; sorted, none beside another */
	uint32_t reserved;   /* slots that banks begin with, and that are no counters */
	uint32_t slot_count; /* of these, and given to modules so far */
	uint32_t slot_size;  /* bytes */
	struct wire_control *control;
	struct VECTOR(struct arena_chunk *) chunks;
	struct VECTOR(struct bank *) banks;
};

/* What memfd_create(2) is given for a file that is to be executed. */
unsigned int arena_memfd_flags(void);

/*
 * Takes over the memfd `fd` that a program just made (owned from now on), puts the
 * resident's code in, sets up the control page, which marks the calling thread as the
 * living tracer, and the first chunk, which has `banks` of `stride` bytes. `address`
 * is where the program maps it.
 */
struct trm_error *arena_create(int fd, uint64_t address, uint64_t stride, uint32_t banks,
			       uint32_t slot_size, struct arena **ret_arena);

/* Drops a reference; frees at the last. NULL is allowed. */
void arena_release(struct arena *arena);

/* Gives out `size` bytes of the file (rounded up to pages), which read as zeros: those
 * that are free and lie first, or more of it. */
struct trm_error *arena_allocate(struct arena *arena, uint64_t size,
				 uint64_t *ret_offset);

/* Takes back `size` bytes that arena_allocate gave out at `offset`, which nobody uses any
 * more: their memory is free, and the place is given out again. */
void arena_free(struct arena *arena, uint64_t offset, uint64_t size);

/* Bytes of memory that the arena takes now, and one of its banks. */
uint64_t arena_memory(const struct arena *arena);
uint64_t arena_bank_memory(const struct arena *arena, const struct bank *bank);

/* Adds a chunk of `count` banks at `file_offset` (from arena_allocate), mapped by the
 * program at `address`. */
struct trm_error *arena_add_chunk(struct arena *arena, uint64_t file_offset,
				  uint64_t address, uint64_t stride, uint32_t count,
				  struct arena_chunk **ret_chunk);

/* An address space less has the chunk. With the last one, the chunk and its banks go,
 * whose counts must have been read; those still in use keep it. */
void arena_release_chunk(struct arena *arena, struct arena_chunk *chunk);

/* A free bank of the chunk for a thread of process `owner`: one with counts of that
 * process, else an empty one. NULL if there is none. */
struct bank *arena_take_bank(struct arena *arena, const struct arena_chunk *chunk,
			     pid_t owner, pid_t tid);

/* The thread of this bank ended: its counts stay, for the owner. */
void arena_give_bank(struct bank *bank);

/* Calls `add` for every counter of the bank that is not 0, in order of slots, behind
 * those that are reserved. Coverage flags count 1. */
void arena_read_bank(const struct arena *arena, const struct bank *bank,
		     void (*add)(void *context, uint32_t slot, uint64_t count),
		     void *context);

/* The same for flags, which are cleared as they are read: one that is set meanwhile is
 * either read now or next time. */
void arena_take_flags(const struct arena *arena, const struct bank *bank,
		      void (*add)(void *context, uint32_t slot, uint64_t count),
		      void *context);

/* The same for flags that are set and not marked, or with `all` for all that are set.
 * They are marked, which counts as set, until the program sets them again. */
void arena_mark_flags(const struct arena *arena, const struct bank *bank, bool all,
		      void (*add)(void *context, uint32_t slot, uint64_t count),
		      void *context);
/* The same for `count` flags from `slot` on alone, where any were set when
 * arena_mark_flags looked last: whether one is. */
bool arena_mark_some(const struct bank *bank, uint32_t slot, uint32_t count);

/* Sets all counters to 0, gives their memory back, and leaves the bank without owner. */
void arena_clear_bank(const struct arena *arena, struct bank *bank);

#endif
