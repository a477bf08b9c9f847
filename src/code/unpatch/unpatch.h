/*
 * Functions at home: what of a function has fired runs at its own place again.
 *
 * A flag that is set has no more to tell (plan_request.probe, PLAN_PROBE_FLAG), so blocks
 * that ran need not be relocated any longer. The text of a function at home is the
 * original one, but for what never ran:
 *
 *     fired block         as it was, with its calls
 *     block without flag  as it was: others tell of it
 *     unfired block       jmp relocated code, which sets the flag; or a short one to an
 *                         island behind another block's jump, which leads there;
 *                         or what branches to it leads there itself
 *     what only those     as the plan has it: jumps where others may come
 *     lead to
 *
 * Relocated code stays, and stays good to run: threads that are in it go on, frames and
 * signal handlers return there. Probes of blocks that are at home may become jumps to
 * these: see struct return_jump.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCH_H
#define TRAMMEL_CODE_UNPATCH_UNPATCH_H

#include "code/plan/plan.h"

struct unpatch_request {
	const struct plan *plan;
	const struct plan_function *function;
	/* unpatch_size bytes of each: of the file, and with all patches. */
	const uint8_t *original, *patched;
	uint32_t page; /* bytes that are written at once, if they are aligned; 2^n */
	const uint64_t *open; /* the function's blocks that run at home; NULL: none */
	/* Whether a flag is set. */
	bool (*has_fired)(const void *context, uint32_t slot);
	const void *context;
};

/* A probe whose block is at home. */
struct return_jump {
	uint32_t code;    /* offset in plan.code */
	uint64_t address; /* link-time, of the block */
};
struct return_jumps VECTOR(struct return_jump);

/*
 * The order in which the pages of a text are written: those whose bits are set come
 * first, and each of both kinds from the first to the last. The turn of a page, and the
 * page of a turn; both count from 0, which is the page with the function's first byte.
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

/* Bytes of a function's text, with the padding that it may take. */
static inline uint32_t unpatch_size(const struct plan_function *function)
{
	return function->size + function->spare;
}

/*
 * The text of a function at home, unpatch_size bytes, what is added to `ways`, and which
 * of its blocks run there (bit_words(block_count) words, to be freed). False if it cannot
 * be, for now or for ever: it never ran, it has a hook, there is no room for jumps, now
 * or when it is closed (unpatch_close), or what runs at home would do so no more. That it
 * never does, since threads may stand there and calls return there. `text` is undefined
 * then.
 *
 * Pages of the text are to be written in the order *ret_early, which is always the same
 * for a function: whoever runs it meanwhile, or between two of them for good, is right.
 * Ways lead home when all of it is written, and no more before another text is.
 */
bool unpatch_make(const struct unpatch_request *request, uint8_t *text,
		  struct return_jumps *ways, uint64_t **ret_open, uint64_t *ret_early);

/*
 * The text of a function that was at home, and of which nothing is to run there any more
 * without setting its flag: as the plan has it, and with jumps where a switch's own table
 * may lead, whose address a call that is under way may hold: so where none leads to its
 * blocks it is that of the plan. Of the request, `open` and `has_fired` are not needed.
 * Its pages are to be written in the opposite order.
 */
void unpatch_close(const struct unpatch_request *request, uint8_t *text);
bool unpatch_has_switch(const struct plan *plan, const struct plan_function *function);

#endif
