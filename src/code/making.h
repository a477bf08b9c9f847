/*
 * A plan in the making: what plan.c and blocks.c share.
 */
#ifndef TRAMMEL_CODE_MAKING_H
#define TRAMMEL_CODE_MAKING_H

#include "code/emit.h"
#include "code/frequencies.h"
#include "code/padding.h"
#include "code/parts.h"
#include "code/place.h"
#include "code/sums.h"
#include "code/whole.h"

enum {
	MAKING_JUMP = 5,       /* bytes of a jump that reaches everything */
	MAKING_SHORT_JUMP = 2, /* of one that reaches 127 bytes */
	/* Counters of what never ran have numbers from here on until all others have
	 * theirs. */
	MAKING_COLD = 1 << 27,
};

struct making {
	const struct plan_request *request;
	const struct image *image;
	struct plan *plan;
	struct scan scan;
	struct padding padding;
	struct place_choice *choices;
	struct plan_patches islands; /* patches that are not at entries */
	struct emit_jumps jumps;
	struct emit_ends cached;    /* calls with inline caches */
	struct emit_shifts *shifts; /* of a batch; NULL: all lies where it is written */
	bool at_once;               /* not in batches */
	size_t own;                 /* where in plan.code a batch begins */
	uint32_t first_slot;        /* counters in front of it are those of gates */
	uint32_t *entrances; /* by function, while calls are led to them: calls.c */
	struct cfg cfg;      /* scratch */
	struct whole whole;  /* scratch */
	struct sums sums;    /* scratch */
	uint8_t *readers; /* enum reader, by function; NULL: only entries are counted */
	uint8_t *uses;    /* enum return_use, by function */
	bool copy_calls;
	uint32_t cold_count; /* counters from MAKING_COLD on */
	bool cold; /* earlier runs executed the module, but not the function that is
		      written */
	struct frequencies_known known; /* of the function that is written */
	struct whole_calls calls;
	bool *returns_flags; /* by function: assembly behind calls of it reads flags;
				NULL: none does */
	bool flags_found;  /* returns_flags was extended, or other such knowledge of what
			      is jumped to: all is to be made again */
	bool *takes_flags; /* by function: flags are alive at its entry, as was known when
			      writing began; NULL: it does not matter */
	bool *dead;      /* by function: rax is dead at its entry; NULL: no call graph */
	uint32_t *names; /* of spans, by function: offsets in plan.code */
	struct parts_left left;
	bool *latched; /* by function: its entry has a jump of five bytes, and keeps it:
			  see code/lazy.h; NULL: none is */
};

/* Looks at the image, and decides what is to be done with each function. All of `making`
 * is 0 at first; the request must outlive it. */
struct trm_error *making_begin(struct making *making, const struct plan_request *request);

/* What is the same in all plans that are written. */
void making_finish(struct making *making);

/* The hook of a function that looks at return addresses; 0: it needs none. */
uint8_t making_reader_hook(const struct making *making, uint32_t index);

/* Frees all but the plan. */
void making_end(struct making *making);

/* Forgets what was written. */
void making_restart(struct making *making);

/* Writes function `index`, whose row is all 0 but for its place. */
void making_write_row(struct making *making, uint32_t index);

/* Writes a trampoline at the end of plan.code; on failure nothing is left of it. */
struct trampoline;
enum plan_reason making_write_trampoline(struct making *making,
					 const struct trampoline *trampoline,
					 uint64_t *ret_start);

/* What a failed attempt to write a function is taken back to. */
struct making_mark {
	size_t code, fixups, jumps, cached, shifts, patches, islands, calls, blocks,
		terms, edges, crossings, steps, stubs;
};
struct making_mark making_mark(const struct making *making);
void making_undo(struct making *making, const struct making_mark *mark);

/* Writes functions [first, end), whose rows of plan.functions are there, all 0. */
void making_write(struct making *making, uint32_t first, uint32_t end);

/* Sorts patches in among others that are sorted; none are left. */
void making_merge_patches(struct plan_patches *all, struct plan_patches *others);

/* Frees what a plan has, but not the row itself. */
void plan_deinit(struct plan *plan);

/* The patch is valid until the next one is added. */
struct plan_patch *making_add_patch(struct plan_patches *patches, uint64_t address,
				    uint32_t function, uint8_t size);

/* The number of a new counter, of what never ran or of all else. */
uint32_t making_new_slot(struct making *making, bool cold);

/* Writes a jump into a patch; false if it does not reach. */
bool making_patch_jump(struct plan_patch *patch, size_t offset, uint64_t target);

/* Writes to plan.code from its end on. */
struct emitter making_emitter(struct making *making);

/*
 * Relocates function `index` whole, with counters for its blocks, and fills in its row.
 * False if that cannot be, and nothing is changed then.
 */
bool blocks_instrument(struct making *making, uint32_t index, struct plan_function *row);

/*
 * Chooses the edges and blocks of a function that get counters, whose rows of blocks
 * exist, and gives them slots: in the plan and in making->whole. False if not all counts
 * could follow from counters: then nothing is changed.
 */
bool edges_place(struct making *making, struct plan_function *row);

/*
 * Leads signal returns that unwinders know by their frames, not by their bytes, to code
 * that takes them on: see plan_hook_layout.
 */
void blocks_hook_returns(struct making *making);

/* Notes what calls of a function return flags, and whether it takes some itself. */
void blocks_note_flags(struct making *making, uint32_t index);

/* The one block of a function that has no other, which the counter of its calls counts.
 */
void blocks_add_single(struct making *making, uint32_t index, struct plan_function *row);

#endif
