/*
 * Look-ups in the rows of a plan, and counts that follow from its counters.
 */
#ifndef TRAMMEL_CODE_PLAN_PLAN_ROWS_H
#define TRAMMEL_CODE_PLAN_PLAN_ROWS_H

#include "code/plan/plan.h"

/* Changes the probes in plan.code so that slot 0 has displacement `to` in the bank. */
void plan_move_counters(struct plan *plan, uint32_t to);

/* Does so only for the probes of plan.fixups[first] on, which were added later. */
void plan_move_new_counters(struct plan *plan, size_t first);

/* The latch that contains an offset in plan.code, and the latch of a function (latches
 * are in the order of functions); NULL if there is none. */
const struct plan_latch *plan_latch_at(const struct plan *plan, uint32_t code_offset);

const struct plan_latch *plan_latch_of(const struct plan *plan, uint32_t function);

/* Whether a counter holds a maximum: see struct points. */
bool plan_slot_is_max(const struct plan *plan, uint32_t slot);

/* Frees a plan made by plan_create; NULL is allowed. */
void plan_destroy(struct plan *plan);

const char *plan_reason_text(enum plan_reason reason);

/* Term `number` of a block: one of the blocks from which its count follows. */
static inline const struct plan_block *
plan_term(const struct plan *plan, const struct plan_block *block, uint32_t number)
{
	return &plan->blocks.items[plan->terms.items[block->first_term + number]];
}

/* Blocks in which threads stayed: indices in plan.blocks. */
struct plan_stayed VECTOR(uint32_t);

/* The count of a block of the plan, from the counters of all slots; 1 or 0 with
 * PLAN_PROBE_FLAG. */
uint64_t plan_block_count(const struct plan *plan, const struct plan_block *block,
			  const uint64_t *counters);

/* The counts of all blocks of a function, on the heap; the caller frees them. With
 * PLAN_PROBE_FLAG plan_flag_counts also knows blocks that threads entered and did not
 * leave. */
uint64_t *plan_block_counts(const struct plan *plan, const struct plan_function *function,
			    const uint64_t *counters);

uint64_t *plan_flag_counts(const struct plan *plan, const struct plan_function *function,
			   const uint64_t *counters, const struct plan_stayed *stayed);

/* Number of counters for which banks have room. */
static inline uint32_t plan_slots(const struct plan *plan)
{
	return plan->slot_room ? plan->slot_room : plan->slot_count;
}

/* Counters of gates, see PLAN_CELLS: their number; the function of one of them; the
 * counter of a function's calls from unknown call sites. */
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

/* The arc at a call site, and the row of plan.links there; NULL if there is none. */
const struct plan_arc *plan_arc_at(const struct plan *plan, uint64_t site);

const struct plan_link *plan_link_at(const struct plan *plan, uint64_t site);

/* The last function that begins at or before a link-time address; NULL if there is none.
 */
const struct plan_function *plan_function_at(const struct plan *plan, uint64_t address);

/* Whether a row of plan.functions is a cold part; and its function, or the row itself. */
static inline bool plan_is_cold_part(const struct plan_function *function)
{
	return function->flags & IMAGE_FUNCTION_COLD_PART;
}

static inline const struct plan_function *
plan_whole_of(const struct plan *plan, const struct plan_function *function)
{
	return &plan->functions.items[function->part_of];
}

/* The function whose code and counters are number `place` in order. */
static inline const struct plan_function *plan_by_code(const struct plan *plan,
						       size_t place)
{
	return &plan->functions.items[plan->functions.items[place].by_code];
}

/* The function whose code and counters follow; NULL if it is the last. */
static inline const struct plan_function *
plan_behind(const struct plan *plan, const struct plan_function *function)
{
	return function->place + 1 < plan->functions.count
		       ? plan_by_code(plan, function->place + 1)
		       : NULL;
}

/* Offset in plan.code of the end of a function's code, if it has any. */
static inline size_t plan_code_end(const struct plan *plan,
				   const struct plan_function *function)
{
	const struct plan_function *behind = plan_behind(plan, function);

	return behind && behind->trampoline != PLAN_LATER ? behind->trampoline
							  : plan->code.count;
}

/* The function to which a counter belongs; NULL if there is none. Not for counters of
 * gates and arcs. `last`: a function near to it, as the result for the counter before is;
 * NULL: none is known. */
const struct plan_function *plan_function_of_slot(const struct plan *plan,
						  const struct plan_function *last,
						  uint32_t slot);

/* Number of counters of a function from its `slots` on, those from plan.cold_slot on left
 * out. */
uint32_t plan_slots_of(const struct plan *plan, const struct plan_function *function);

/* Frees the contents of a plan, but not the struct. */
void plan_deinit(struct plan *plan);

/* The index of a row of plan.functions. */
static inline uint32_t plan_index_of(const struct plan *plan,
				     const struct plan_function *function)
{
	return (uint32_t)(function - plan->functions.items);
}

/* The crossing of an edge out of a function: it leads to another part of the same
 * function. NULL: it does not. */
const struct plan_crossing *plan_crossing_of(const struct plan *plan,
					     const struct plan_edge *edge);

#endif
