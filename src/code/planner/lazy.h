/*
 * Plans that are made function by function. Planning a large module takes seconds, and a
 * program calls one of twenty of its functions. So if no plan is in the cache, entries
 * lead to latches first:
 *
 *     hook           asks for the function to be planned, unless that was done, and then
 *                    goes back to the start of the latch; without an answer it goes on:
 *     displaced      the instructions that the jump overwrote, relocated
 *     jump back      to the first instruction behind them
 *
 * When the function is planned, the first 8 bytes of the latch become a jump to its code.
 * They are written at once, and no other bytes change that threads may be executing: the
 * function's new code was never executed before. So the targets of its jumps into the
 * middle of other functions are planned with it, and so are its cold parts. Functions
 * without room for a jump at the entry, or with other hooks, are planned at the start.
 */
#ifndef TRAMMEL_CODE_PLANNER_LAZY_H
#define TRAMMEL_CODE_PLANNER_LAZY_H

#include "code/plan/plan.h"
#include "code/plan/request.h"

struct lazy;

/* Additions to a plan. */
struct lazy_news {
	uint32_t first_place, end_place; /* functions, in the order of their code */
	uint32_t first_code, first_map_row, first_fixup;
	struct plan_patches patches; /* to be written to the text */
};

/*
 * Makes a plan with latches: only for counts of blocks and edges (not PLAN_PROBE_FLAG),
 * without gates, spans or frequencies of earlier runs, and not `live`. The image, and the
 * request's `context`, must outlive `ret_lazy`, which must outlive the plan.
 */
struct trm_error *lazy_create(const struct plan_request *request, struct plan **ret_plan,
			      struct lazy **ret_lazy);

/*
 * Plans a function, unless it is planned already, and the functions that must be planned
 * with it. The caller frees ret_news->patches. False if plan.slot_count would exceed
 * `slots`, plan.code.count `code`, or plan.map_rows.count `steps`: the function is not
 * planned then; others may have been.
 */
struct lazy_limits {
	size_t slots, code, steps;
};
bool lazy_extend(struct lazy *lazy, uint32_t function, const struct lazy_limits *limits,
		 struct lazy_news *ret_news);

/* Gives up the functions planned last, since there is no space for their code: they run
 * uncounted. */
void lazy_give_up(struct lazy *lazy, const struct lazy_news *news);

/* The function of the latch that contains an offset in plan.code: its index;
 * PLAN_NO_FUNCTION if there is none. */
uint32_t lazy_function_at(const struct plan *plan, uint32_t code_offset);

/* The new first 8 bytes of a function's latch, at `ret_offset` in plan.code: a jump to
 * its code or, if it could not be planned, to the displaced instructions. False if it has
 * no latch. */
bool lazy_jump(const struct plan *plan, uint32_t function, uint32_t *ret_offset,
	       uint64_t *ret_word);

void lazy_destroy(struct lazy *lazy);

#endif
