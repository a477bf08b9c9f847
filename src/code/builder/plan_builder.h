/*
 * A plan while it is made: what the files of src/code/planner, calls and builder share.
 */
#ifndef TRAMMEL_CODE_BUILDER_PLAN_BUILDER_H
#define TRAMMEL_CODE_BUILDER_PLAN_BUILDER_H

#include "code/count/frequencies.h"
#include "code/emit/emit.h"
#include "code/entry/entry_patch.h"
#include "code/plan/request.h"
#include "code/relocate/block_sums.h"
#include "code/relocate/whole.h"
#include "code/scan/cold_parts.h"
#include "code/scan/padding.h"

enum {
	BUILDER_JUMP = 5,       /* bytes of a jump that reaches everything */
	BUILDER_SHORT_JUMP = 2, /* of one that reaches 127 bytes */
	/* Counters of what never ran have numbers from here on until all others have
	 * theirs. */
	BUILDER_COLD = 1 << 27,
};

/* What is written beside the plan's rows, until it is whole. */
struct builder_output {
	struct plan_patches islands; /* patches that are not at entries */
	struct emit_jumps jumps;
	struct emit_ends cached;    /* calls with inline caches */
	struct emit_shifts *shifts; /* of a batch; NULL: all lies where it is written */
	bool at_once;               /* not in batches */
	size_t own;                 /* where in plan.code a batch begins */
	uint32_t first_slot;        /* counters in front of it are those of gates */
	uint32_t cold_count;        /* counters from BUILDER_COLD on */
};

/* The function that is being written. */
struct builder_function {
	struct cfg cfg;
	struct whole whole;
	struct block_sums sums;
	bool cold; /* earlier runs executed the module, but not this function */
	struct frequencies_known known;
};

/* What functions do with return addresses, by function. */
struct builder_returns {
	uint8_t *readers; /* enum ra_reader; NULL: only entries are counted */
	uint8_t *uses;    /* enum return_use */
	bool copy_calls;  /* calls are made in relocated code */
};

/* Flags that are alive across calls, as assembly has them, by function. */
struct builder_flags {
	bool *returned; /* what follows calls of it reads flags; NULL: of none */
	bool *taken;    /* flags are alive at its entry, as was known when writing began;
			   NULL: it does not matter */
	bool found;     /* `returned` was extended, or other such knowledge of what is
			   jumped to: all is to be made again */
};

/* Entries, by function. */
struct builder_entries {
	bool *dead_rax;      /* rax is dead there; NULL: no call graph */
	uint32_t *names;     /* of spans: offsets in plan.code */
	uint32_t *entrances; /* while calls are led to them: calls/call_stubs.c */
	bool *latched;       /* has a jump of five bytes, and keeps it: see
				code/planner/lazy.h; NULL: none has */
};

struct plan_builder {
	const struct plan_request *request;
	const struct image *image;
	struct plan *plan;
	struct scan scan;
	struct padding padding;
	struct entry_patch *choices; /* by function */
	struct cold_parts_left left;
	struct whole_calls calls;
	struct builder_output out;
	struct builder_function current;
	struct builder_returns returns;
	struct builder_flags flags;
	struct builder_entries entries;
};

/* What a failed attempt to write a function is taken back to. */
struct builder_mark {
	size_t code, fixups, jumps, cached, shifts, patches, islands, calls, blocks,
		terms, edges, crossings, steps, stubs;
};

struct builder_mark builder_mark(const struct plan_builder *builder);

void builder_undo(struct plan_builder *builder, const struct builder_mark *mark);

/* The patch is valid until the next one is added. */
struct plan_patch *builder_add_patch(struct plan_patches *patches, uint64_t address,
				     uint32_t function, uint8_t size);

/* The number of a new counter, of what never ran or of all else. */
uint32_t builder_new_slot(struct plan_builder *builder, bool cold);

/* Writes a jump into a patch; false if it does not reach. */
bool builder_patch_jump(struct plan_patch *patch, size_t offset, uint64_t target);

/* Writes to plan.code from its end on. */
struct emitter builder_emitter(struct plan_builder *builder);

/* Whether functions are relocated whole. To count calls that is of use only if they are
 * made in relocated code. */
bool builder_relocates(const struct plan_builder *builder);

/* Whether a reason (enum plan_reason) against a jump at the entry is none against a
 * relocated function. */
bool builder_can_relocate(uint8_t reason);

#endif
