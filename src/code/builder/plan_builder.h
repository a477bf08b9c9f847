/*
 * A plan under construction: state shared by the files of src/code/planner, calls and
 * builder.
 */
#ifndef TRAMMEL_CODE_BUILDER_PLAN_BUILDER_H
#define TRAMMEL_CODE_BUILDER_PLAN_BUILDER_H

#include "code/count/frequencies.h"
#include "code/emit/emit.h"
#include "code/entry/entry_patch.h"
#include "code/plan/request.h"
#include "code/relocate/block_sums.h"
#include "code/relocate/path_emit.h"
#include "code/relocate/whole.h"
#include "code/scan/cold_parts.h"
#include "code/scan/padding.h"

enum {
	BUILDER_JUMP = 5,       /* bytes of a jump that reaches 2 GiB */
	BUILDER_SHORT_JUMP = 2, /* bytes of a jump that reaches 127 bytes */
	/* Counters of code that never ran have numbers from here on, until all others
	 * have theirs. */
	BUILDER_COLD = 1 << 27,
};

/* Output beside the plan's rows, until the plan is complete. */
struct builder_output {
	struct plan_patches islands; /* patches that are not at entries */
	struct emit_jumps jumps;
	struct emit_ends cached; /* calls with inline caches */
	struct emit_shifts
		*shifts;     /* of a batch; NULL: all code stays where it is written */
	bool at_once;        /* not in batches */
	size_t own;          /* offset in plan.code where a batch begins */
	uint32_t first_slot; /* slots below are counters of gates */
	uint32_t cold_count; /* counters from BUILDER_COLD on */
};

/* The function being written. */
struct builder_function {
	struct cfg cfg;
	struct whole whole;
	struct block_sums sums;
	struct point_places points;
	bool cold; /* earlier runs executed the module, but not this function */
	struct frequencies_known known;
	struct paths paths;          /* of a function whose paths are counted */
	struct whole_paths followed; /* and their probes */
	struct live_registers live;
};

/* How functions use return addresses, by function. */
struct builder_returns {
	uint8_t *readers; /* enum ra_reader; NULL: only entries are counted */
	uint8_t *uses;    /* enum return_use */
	bool *named;      /* instructions have its address; NULL: not looked for yet */
	bool copy_calls;  /* copy calls into relocated code */
};

/* Flags that are alive across calls, as in assembly, by function. */
struct builder_flags {
	bool *returned; /* its callers read flags that it returns; NULL: no function
			   returns any */
	bool *taken; /* flags are alive at its entry, as known when writing began; NULL:
			does not matter */
	bool found; /* `returned` or similar knowledge of jump targets was extended: start
		       again */
};

/* Properties of entries, by function. */
struct builder_entries {
	bool *dead_rax;      /* rax is dead there; NULL: without call graph */
	uint32_t *names;     /* of spans: offsets in plan.code */
	uint32_t *entrances; /* while calls are retargeted: calls/call_stubs.c */
	bool *latched; /* has a jump of five bytes, and keeps it: see code/planner/lazy.h;
			  NULL: no latches */
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

/* A state to return to when writing a function fails. */
struct builder_mark {
	size_t code, fixups, jumps, cached, shifts, patches, islands, calls, blocks,
		terms, edges, crossings, steps, stubs, point_slots, checks;
};

struct builder_mark builder_mark(const struct plan_builder *builder);

void builder_undo(struct plan_builder *builder, const struct builder_mark *mark);

/* Adds a patch of `size` bytes; valid until the next one is added. */
struct plan_patch *builder_add_patch(struct plan_patches *patches, uint64_t address,
				     uint32_t function, uint8_t size);

/* Allocates a counter and returns its number; `cold`: its code never ran. */
uint32_t builder_new_slot(struct plan_builder *builder, bool cold);

/* Writes a jump to `target` at `offset` of a patch; false if it does not reach. */
bool builder_patch_jump(struct plan_patch *patch, size_t offset, uint64_t target);

/* An emitter that appends to plan.code. */
struct emitter builder_emitter(struct plan_builder *builder);

/* Whether functions are relocated whole. Counting calls needs that only if calls are
 * copied into relocated code. */
bool builder_relocates(const struct plan_builder *builder);

/* Whether a function with this reason (enum plan_reason) against a jump at its entry may
 * still be relocated whole. */
bool builder_can_relocate(uint8_t reason);

#endif
