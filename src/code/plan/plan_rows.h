/*
 * Look-ups in the rows of a plan, and what follows from its counters.
 */
#ifndef TRAMMEL_CODE_PLAN_PLAN_ROWS_H
#define TRAMMEL_CODE_PLAN_PLAN_ROWS_H

#include "code/plan/plan.h"

/* Leads the probes in plan.code to counters at another displacement in the bank. */
void plan_move_counters(struct plan *plan, uint32_t to);

/* The same of probes that came since, those from plan.fixups[first] on. */
void plan_move_new_counters(struct plan *plan, size_t first);

/* The latch that an offset in plan.code is in, and that of a function, as both are in one
 * order; NULL: there is none. */
const struct plan_latch *plan_latch_at(const struct plan *plan, uint32_t code_offset);

const struct plan_latch *plan_latch_of(const struct plan *plan, uint32_t function);

/* Frees a plan made by plan_create; NULL is allowed. */
void plan_destroy(struct plan *plan);

const char *plan_reason_text(enum plan_reason reason);

/* One of the blocks that tell of a block. */
static inline const struct plan_block *
plan_term(const struct plan *plan, const struct plan_block *block, uint32_t number)
{
	return &plan->blocks.items[plan->terms.items[block->first_term + number]];
}

/* The same with PLAN_PROBE_FLAG, where threads also got to some blocks and stayed there.
 */
struct plan_stayed VECTOR(uint32_t); /* indices in plan.blocks */

/* How often a block of the plan ran, by the counters of all slots; 1 or 0 with
 * PLAN_PROBE_FLAG. */
uint64_t plan_block_count(const struct plan *plan, const struct plan_block *block,
			  const uint64_t *counters);

/* The count of all blocks of a function; the caller frees it. */
uint64_t *plan_block_counts(const struct plan *plan, const struct plan_function *function,
			    const uint64_t *counters);

uint64_t *plan_flag_counts(const struct plan *plan, const struct plan_function *function,
			   const uint64_t *counters, const struct plan_stayed *stayed);

/* Counters that have their place in banks. */
static inline uint32_t plan_slots(const struct plan *plan)
{
	return plan->slot_room ? plan->slot_room : plan->slot_count;
}

/* The counters of gates, see PLAN_CELLS: how many there are, which function one of them
 * belongs to, and which counts a function's calls from sites that are not known. */
static inline uint32_t plan_gate_slots(const struct plan *plan)
{
	uint32_t count = (uint32_t)plan->functions.count;

	if (plan->sites)
		return plan->cells_slot + count * PLAN_GATE_SLOTS;
	return plan->graph ? count * PLAN_GRAPH_SLOTS : 0;
}

static inline uint32_t plan_function_of_gate(const struct plan *plan, uint32_t slot)
{
	if (plan->sites && slot >= plan->cells_slot)
		return (slot - plan->cells_slot) / PLAN_GATE_SLOTS;
	return slot / PLAN_GRAPH_SLOTS;
}

static inline uint32_t plan_lost_slot(const struct plan *plan, uint32_t function)
{
	if (plan->sites)
		return plan->cells_slot + (function + 1) * PLAN_GATE_SLOTS - 2;
	return (function + 1) * PLAN_GRAPH_SLOTS - 2;
}

/* The arc at a site; NULL: it has none. And its row in plan.links. */
const struct plan_arc *plan_arc_at(const struct plan *plan, uint64_t site);

const struct plan_link *plan_link_at(const struct plan *plan, uint64_t site);

/* The last function that begins at or before a link-time address; NULL if none does. */
const struct plan_function *plan_function_at(const struct plan *plan, uint64_t address);

/* Whether a row of plan.functions is a cold part, and the function that it is of, or the
 * row itself. */
static inline bool plan_is_cold_part(const struct plan_function *function)
{
	return function->flags & IMAGE_FUNCTION_COLD_PART;
}

static inline const struct plan_function *
plan_whole_of(const struct plan *plan, const struct plan_function *function)
{
	return &plan->functions.items[function->part_of];
}

/* The function whose code and counters come after those of `place` others. */
static inline const struct plan_function *plan_by_code(const struct plan *plan,
						       size_t place)
{
	return &plan->functions.items[plan->functions.items[place].by_code];
}

/* The one whose code and counters are behind a function's; NULL: there is none. */
static inline const struct plan_function *
plan_behind(const struct plan *plan, const struct plan_function *function)
{
	return function->place + 1 < plan->functions.count
		       ? plan_by_code(plan, function->place + 1)
		       : NULL;
}

/* The end of a function's code, as an offset in plan.code, if it has any. */
static inline size_t plan_code_end(const struct plan *plan,
				   const struct plan_function *function)
{
	const struct plan_function *behind = plan_behind(plan, function);

	return behind && behind->trampoline != PLAN_LATER ? behind->trampoline
							  : plan->code.count;
}

/* The function that a counter belongs to; NULL if none does. Not of those of gates and
 * arcs. */
const struct plan_function *plan_function_of_slot(const struct plan *plan, uint32_t slot);

/* The same for counters in order, sooner. `last`: what was found for the one before; NULL
 * at the first. */
const struct plan_function *plan_function_of_next_slot(const struct plan *plan,
						       const struct plan_function *last,
						       uint32_t slot);

/* How many counters from its `slots` on a function has, those from plan.cold_slot on left
 * out. */
uint32_t plan_slots_of(const struct plan *plan, const struct plan_function *function);

/* Frees what a plan has, but not the row itself. */
void plan_deinit(struct plan *plan);

/* The index of a row of plan.functions. */
static inline uint32_t plan_index_of(const struct plan *plan,
				     const struct plan_function *function)
{
	return (uint32_t)(function - plan->functions.items);
}

#endif
