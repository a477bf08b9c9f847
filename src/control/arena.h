/*
 * Arenas and banks, the tracer's side of wire/layout.h. The program creates an arena's
 * memfd at its first injection; it belongs to a program image and all processes forked
 * from it. Banks come in chunks; a chunk has one address in all processes that map it.
 */
#ifndef TRAMMEL_CONTROL_ARENA_H
#define TRAMMEL_CONTROL_ARENA_H

#include "base/error.h"
#include "base/vector.h"
#include "wire/layout.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct bank;
struct string_table;
struct banks VECTOR(struct bank *);

struct arena_chunk {
	uint64_t file_offset; /* in the arena's file */
	uint64_t address;     /* in the program */
	uint64_t stride;      /* bytes a bank, header included */
	uint32_t bank_count;
	unsigned int references; /* address spaces that have it mapped */
	uint8_t *shared;         /* the tracer's mapping of it */
	/* It has views of this bank, of which the first `used` count something, in the
	 * address spaces that have it mapped alone. NULL: it has banks. */
	struct bank *front;
	struct banks views;
	uint32_t used;  /* the first of them that count something, or may soon */
	uint32_t first; /* what lies in front of them is a struct wire_phase_names */
	struct arena_chunk *names; /* the chunk with the names of its views, in the same
				      address spaces; NULL: the tracer alone gives them */
	uint32_t rows_read;        /* of the names */
	struct arena *arena;
};

/* What a bank or view counts; others are numbers of names. */
enum arena_phase {
	ARENA_PHASE_UNSET, /* nothing yet; or phases are not told apart */
	ARENA_PHASE_NONE,  /* the program is in no phase */
	ARENA_PHASE_OTHER, /* phases that have no view of their own */
	ARENA_PHASES,      /* the first number of a name */
};

struct bank {
	struct arena_chunk *chunk;
	uint64_t address; /* in the program: the GS base */
	uint64_t file_offset;
	struct wire_bank *shared; /* the tracer's mapping of its header */
	pid_t owner; /* process whose counts it holds; 0: none, all counters are zero */
	bool in_use; /* a live thread's GS base */
	bool common; /* threads without one of their own have it, too */
	bool paths;  /* it follows paths: struct wire_paths is in use */
	bool *pages; /* by page: flags were set there at the last arena_mark_flags; NULL
			unless counters are flags */
	uint32_t phase;     /* enum arena_phase, or a name's number, of what it counts */
	struct bank *front; /* it is a view of this bank: see wire/phase.h. NULL: it is a
			       bank */
	struct banks views; /* of a bank: all that any address space has */
	bool full;          /* no more could be made */
};

/* A range of an arena's file, in bytes. */
struct arena_range {
	uint64_t start, end;
};

struct arena {
	int fd;
	unsigned int references; /* address spaces that use it */
	uint64_t address;        /* of the resident's code in the program */
	uint64_t file_size;      /* bytes */
	struct VECTOR(struct arena_range) free; /* sorted, merged */
	uint32_t reserved;   /* slots at the start of a bank that are no counters */
	uint32_t slot_count; /* slots in use: the reserved ones and those given to modules
			      */
	uint32_t slot_size;  /* bytes */
	struct wire_control *control;
	uint8_t *stretches; /* the tracer's mapping of WIRE_STRETCH_CODE; NULL: none */
	struct VECTOR(struct arena_chunk *) chunks;
	struct banks banks;          /* without views */
	uint32_t generations;        /* given to banks: wire_bank.generation */
	struct string_table *phases; /* names of phases; NULL: none are told apart */
};

/* The flags for memfd_create(2) of a file that is to be executed. */
unsigned int arena_memfd_flags(void);

/*
 * Takes over the memfd `fd` (and owns it from now on), which a program has just created
 * and maps at `address`. Copies the resident's code into it and sets up the control page,
 * which names the calling thread as the living tracer, and the first chunk, of `banks`
 * banks of `stride` bytes.
 */
struct trm_error *arena_create(int fd, uint64_t address, uint64_t stride, uint32_t banks,
			       uint32_t slot_size, struct arena **ret_arena);

/* Writes code to slot `slot` for copied instructions, which no thread may be in. */
struct trm_error *arena_write_stretch(struct arena *arena, uint32_t slot,
				      const uint8_t *code, size_t size);

/* Drops a reference; frees at the last. NULL is allowed. */
void arena_release(struct arena *arena);

/* Allocates `size` bytes (rounded up to pages) of the file: the first free range that is
 * large enough, or new bytes at the end. They read as zeros. */
struct trm_error *arena_allocate(struct arena *arena, uint64_t size,
				 uint64_t *ret_offset);

/* Frees `size` bytes at `offset` from arena_allocate. They must not be in use: their
 * memory is given back and the range is allocated again. */
void arena_free(struct arena *arena, uint64_t offset, uint64_t size);

/* Which pages of a bank have memory, by their number in it: others read as zeros, and
 * looking at them would give them memory. The caller frees the result. */
bool *arena_bank_pages(const struct arena *arena, const struct bank *bank);

/* Bytes of memory in use by the arena, and by one of its banks. */
uint64_t arena_memory(const struct arena *arena);
uint64_t arena_bank_memory(const struct arena *arena, const struct bank *bank);

/* Adds a chunk of `count` banks at `file_offset` (from arena_allocate), mapped by the
 * program at `address`. */
struct trm_error *arena_add_chunk(struct arena *arena, uint64_t file_offset,
				  uint64_t address, uint64_t stride, uint32_t count,
				  struct arena_chunk **ret_chunk);

/* Adds a chunk of `count` views of a bank likewise, in front of which is room for names,
 * of `first` views; the bank's front is what the program sees at the beginning of each.
 */
struct trm_error *arena_add_views(struct arena *arena, struct bank *front,
				  uint64_t file_offset, uint64_t address, uint32_t first,
				  uint32_t count, struct arena_chunk **ret_chunk);

/* Whether a bank, or a view of it in some address space, is at an address. */
bool arena_bank_is_at(const struct bank *bank, uint64_t address);

/* Drops an address space's reference to the chunk. The last one removes the chunk and its
 * banks, whose counts must have been read, unless a bank is still in use. */
void arena_release_chunk(struct arena *arena, struct arena_chunk *chunk);

/* Takes a free bank of the chunk for thread `tid` of process `owner`: one that holds
 * counts of that process, else an empty one. NULL if all are in use. */
struct bank *arena_take_bank(struct arena *arena, const struct arena_chunk *chunk,
			     pid_t owner, pid_t tid);

/* Gives a bank back whose thread ended: its counts stay, for the owner. */
void arena_give_bank(struct bank *bank);

/* Calls `add` for each counter of the bank that is not 0, in order of slots, reserved
 * slots left out. A coverage flag counts 1. */
void arena_read_bank(const struct arena *arena, const struct bank *bank,
		     void (*add)(void *context, uint32_t slot, uint64_t count),
		     void *context);

/* Calls `add` for each flag that is set and clears it. A flag that the program sets
 * meanwhile is either seen now or stays set for the next call. */
void arena_take_flags(const struct arena *arena, const struct bank *bank,
		      void (*add)(void *context, uint32_t slot, uint64_t count),
		      void *context);

/* Calls `add` for each flag that is set and not yet marked, or with `all` for each that
 * is set, and marks it. A marked flag counts as set until the program sets it again. */
void arena_mark_flags(const struct arena *arena, const struct bank *bank, bool all,
		      void (*add)(void *context, uint32_t slot, uint64_t count),
		      void *context);
/* Marks the set flags among `count` flags from `slot` on, on pages where the last
 * arena_mark_flags saw any. Returns whether one was newly set. */
bool arena_mark_some(const struct bank *bank, uint32_t slot, uint32_t count);

/* Sets all counters to 0, frees their memory, and leaves the bank without an owner. */
void arena_clear_bank(const struct arena *arena, struct bank *bank);

#endif
