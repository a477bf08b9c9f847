/*
 * Plans that are made function by function. Planning a large module takes seconds, and a
 * program calls one of twenty of its functions. So where no plan is kept yet, entries
 * lead to latches first:
 *
 *     hook           which asks for the function to be planned, unless that was done, and
 *                    then goes back to the latch's start;
 *                    a call that nobody answers goes on:
 *     displaced      the instructions the jump overwrote, relocated
 *     jump back      to the first instruction behind them
 *
 * When the function is planned, the first 8 bytes of the latch become a jump to its code.
 * They are written at once, and are all that changes of what others may execute: nothing
 * of the function's own code was ever executed before. So what it jumps to in the middle
 * of other functions is planned with it, and so are its cold parts. What has no room for
 * a jump at its entry, or takes hooks of others, is planned at first.
 */
#ifndef TRAMMEL_CODE_PLANNER_LAZY_H
#define TRAMMEL_CODE_PLANNER_LAZY_H

#include "code/plan/plan.h"
#include "code/plan/request.h"

struct lazy;

/* What is new in a plan. */
struct lazy_news {
	uint32_t first_place, end_place; /* functions, in the order of their code */
	uint32_t first_code, first_map_row, first_fixup;
	struct plan_patches patches; /* to be written to the text */
};

/*
 * Makes a plan with latches: only of counts of blocks and edges (not of PLAN_PROBE_FLAG),
 * without gates, spans or knowledge of earlier runs, and not a live one. The image, and
 * the request's `context`, must outlive `ret_lazy`, which must outlive the plan.
 */
struct trm_error *lazy_create(const struct plan_request *request, struct plan **ret_plan,
			      struct lazy **ret_lazy);

/*
 * Plans a function, if that was not done before, and what else must be with it. The
 * caller frees ret_news->patches. Neither may plan.slot_count become more than `slots`,
 * nor plan.code.count more than `code`, nor plan.map_rows.count more than `steps`: false,
 * and the function is not planned; but others may have been.
 */
struct lazy_limits {
	size_t slots, code, steps;
};
bool lazy_extend(struct lazy *lazy, uint32_t function, const struct lazy_limits *limits,
		 struct lazy_news *ret_news);

/* What was planned last cannot be used, as there is no space to put it: it runs on
 * uncounted. */
void lazy_give_up(struct lazy *lazy, const struct lazy_news *news);

/* The index of the function of the latch that an offset in plan.code is in;
 * PLAN_NO_FUNCTION: it is in none. */
uint32_t lazy_function_at(const struct plan *plan, uint32_t code_offset);

/* What the first 8 bytes of a function's latch are to be, which is at `ret_offset` in
 * plan.code: a jump to its code, or, where it could not be planned, to the displaced
 * instructions. False: it has none. */
bool lazy_jump(const struct plan *plan, uint32_t function, uint32_t *ret_offset,
	       uint64_t *ret_word);

void lazy_destroy(struct lazy *lazy);

#endif
