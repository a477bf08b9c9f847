/*
 * Unpatched functions: blocks of a function that have fired run at their original
 * addresses again.
 *
 * A flag that is set has no more to tell (plan_request.probe, PLAN_PROBE_FLAG), so blocks
 * that ran need not be relocated any longer. The text of an unpatched function is the
 * original one, except for blocks that never ran:
 *
 *     fired block         original, with its calls
 *     block without flag  original: other flags cover it
 *     unfired block       jmp relocated code, which sets the flag; or a short jump to an
 *                         island behind another block's jump, which leads there;
 *                         or the branches to it lead there themselves
 *     blocks reached      as in the plan: jumps where other code may enter
 *     only from those
 *
 * Relocated code stays, and stays valid: threads in it go on, frames and signal handlers
 * return there. Probes of unpatched blocks may become jumps to the original: see struct
 * return_jump.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCH_H
#define TRAMMEL_CODE_UNPATCH_UNPATCH_H

#include "code/plan/plan.h"

struct unpatch_request {
	const struct plan *plan;
	const struct plan_function *function;
	/* unpatch_size bytes each: of the file, and with all patches. */
	const uint8_t *original, *patched;
	uint32_t page;        /* bytes that are written at once, if aligned; 2^n */
	const uint64_t *open; /* bitmap of the function's blocks that run unpatched
				 already; NULL: none */
	/* Whether a flag is set. */
	bool (*has_fired)(const void *context, uint32_t slot);
	const void *context;
};

/* A probe whose block runs unpatched. */
struct return_jump {
	uint32_t code;    /* offset in plan.code */
	uint64_t address; /* link-time, of the block */
};
struct return_jumps VECTOR(struct return_jump);

/*
 * Order in which the pages of a text are written: first the pages with set bits, then the
 * others, each group ascending. unpatch_turn_of returns the turn of a page,
 * unpatch_page_at the page of a turn; both count from 0, the page with the function's
 * first byte.
 */
enum { UNPATCH_EARLY_PAGES = 64 };
static inline uint32_t unpatch_turn_of(uint64_t early, uint32_t page)
{
	bool tells = page < UNPATCH_EARLY_PAGES;
	uint64_t in_front = tells ? early & ((1ull << page) - 1) : early;
	uint32_t before;

	if (!early)
		return page;
	before = (uint32_t)__builtin_popcountll(in_front);
	if (tells && early >> page & 1)
		return before;
	return (uint32_t)__builtin_popcountll(early) + page - before;
}

static inline uint32_t unpatch_page_at(uint64_t early, uint32_t turn)
{
	uint32_t page = 0;

	if (!early)
		return turn;
	while (unpatch_turn_of(early, page) != turn)
		page++;
	return page;
}

/* Bytes of a function's text, including the padding that it may take. */
static inline uint32_t unpatch_size(const struct plan_function *function)
{
	return function->size + function->spare;
}

/*
 * Makes the text of an unpatched function, unpatch_size bytes; adds to `ways`; writes
 * which blocks run unpatched (bit_words(block_count) words, freed by the caller). False
 * if it is not possible, for now or for ever: the function never ran, has a hook, there
 * is no room for jumps now or at unpatch_close, or a block that runs unpatched would have
 * to stop doing so, which it may not, since threads may be there and calls return there.
 * `text` is undefined then.
 *
 * Pages of the text must be written in the order *ret_early, which is always the same for
 * a function: a thread that runs it meanwhile, or stays between two pages for good,
 * behaves correctly. `ways` may be used when all of the text is written, and no longer
 * once another text is being written.
 */
bool unpatch_make(const struct unpatch_request *request, uint8_t *text,
		  struct return_jumps *ways, uint64_t **ret_open, uint64_t *ret_early);

/*
 * Makes the text of a function that was unpatched, so that all its code sets flags again:
 * the plan's text, with jumps at the targets of a switch's own table, whose address an
 * active call may hold; without such a switch it is the plan's text. `open` and
 * `has_fired` of the request are not needed. Its pages must be written in the opposite
 * order.
 */
void unpatch_close(const struct unpatch_request *request, uint8_t *text);
bool unpatch_has_switch(const struct plan *plan, const struct plan_function *function);

#endif
