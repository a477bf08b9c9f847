/* Blocks that must not be reached while only some pages of an unpatched text are written,
 * and the order of these pages. */
#include "code/unpatch/unpatch_bars.h"

#include "code/unpatch/unpatching.h"

static bool bar_block(struct unpatching *unpatching, uint32_t block)
{
	unpatching->barred[block] = unpatching_turn(unpatching, block);
	return unpatching->barred[block];
}

/* A patch that runs of which begin in front of it, or in its middle. Returns whether
 * blocks are barred. */
static bool bar_around(struct unpatching *unpatching, const struct unpatch_patch *patch)
{
	uint32_t end = patch->offset + patch->size;
	uint32_t block = unpatching_block(unpatching, patch->offset);
	bool some = false;

	for (uint32_t i = patch->offset + 1; i < end; i++)
		if (unpatching->known[i] & BYTE_LEADER)
			some |= bar_block(unpatching, unpatching->leaders[i]);
	if (patch->from == patch->offset || unpatching->led[block])
		return some;
	if (!unpatching_on_one_page(unpatching, unpatching->blocks[block].offset,
				    end - unpatching->blocks[block].offset))
		unpatching->kept[block] = true;
	return some | bar_block(unpatching, block);
}

/* Bars a block whose successor is barred up to a turn, as far as its own page may have
 * the plan's text then. Returns whether it is barred longer now. */
static bool bar_source(struct unpatching *unpatching, uint32_t from, uint32_t barred)
{
	uint32_t own;

	if (unpatching->barred[from] >= barred || unpatching->led[from])
		return false;
	own = unpatching_turn(unpatching, from);
	barred = barred < own ? barred : own;
	if (unpatching->barred[from] >= barred)
		return false;
	unpatching->barred[from] = barred;
	return true;
}

/* The turn up to which some block is barred that a switch leads to. */
static uint32_t find_led_barred(const struct unpatching *unpatching)
{
	uint32_t most = 0;

	for (uint32_t b = 0; b < unpatching->count; b++)
		if (unpatching->blocks[b].flags & PLAN_BLOCK_LED &&
		    unpatching->barred[b] > most)
			most = unpatching->barred[b];
	return most;
}

/* Bars blocks with the address of a switch's table for all targets of switches. */
static bool bar_sources(struct unpatching *unpatching)
{
	const uint32_t led = find_led_barred(unpatching);
	bool more = false;
	uint32_t to[2];

	for (uint32_t b = unpatching->count; b--;) {
		uint32_t count = unpatching_goes_on(unpatching, b, to);

		while (count)
			more |= bar_source(unpatching, b,
					   unpatching->barred[to[--count]]);
		if (unpatching->blocks[b].flags & PLAN_BLOCK_NAMES)
			more |= bar_source(unpatching, b, led);
	}
	return more;
}

/* Finds the blocks that code on pages written earlier must not reach, since in the plan's
 * text they, or their successors, would run into an island or the middle of a patch.
 * Pages with an earlier turn are new then, others old. A block is barred up to the last
 * such turn. */
static void know_barred(struct unpatching *unpatching)
{
	bool more = false;

	if (unpatching->pages)
		vector_for_each (&unpatching->patches, patch)
			more |= bar_around(unpatching, patch);
	while (more)
		more = bar_sources(unpatching);
	unpatching->led_barred = find_led_barred(unpatching);
}

/* The number of blocks that cannot run unpatched, because they lead to barred blocks and
 * cannot be led elsewhere; a switch leads to many. */
static uint32_t count_stuck(const struct unpatching *unpatching)
{
	uint32_t count = 0, names = 0, cases = 0;

	for (uint32_t b = 0; b < unpatching->count; b++) {
		const struct plan_block *row = &unpatching->blocks[b];
		uint32_t own = unpatching_turn(unpatching, b);

		names += row->flags & PLAN_BLOCK_NAMES && own < unpatching->led_barred;
		cases += (row->flags & PLAN_BLOCK_LED) != 0;
		count += row->flags & PLAN_BLOCK_FALLS && own < unpatching->barred[b + 1];
		count += row->to != PLAN_EDGE_OUT && own < unpatching->barred[row->to] &&
			 !unpatching_has_wide_branch(unpatching, row);
	}
	return count + names * cases;
}

/* The pages of blocks that switches lead to and that are barred. */
static uint64_t find_early(const struct unpatching *unpatching)
{
	uint64_t early = 0;

	for (uint32_t b = 0; b < unpatching->count; b++) {
		uint32_t page = unpatching_page(unpatching, unpatching->blocks[b].offset);

		if (unpatching->blocks[b].flags & PLAN_BLOCK_LED &&
		    unpatching->barred[b] && page < UNPATCH_EARLY_PAGES)
			early |= 1ull << page;
	}
	return early;
}

static void use_order(struct unpatching *unpatching, uint64_t early)
{
	unpatching->early = early;
	unpatching->barred = unpatching->bars[early != 0];
	unpatching->led_barred = find_led_barred(unpatching);
}

void unpatching_choose_order(struct unpatching *unpatching)
{
	uint32_t stuck;
	uint64_t early;

	know_barred(unpatching);
	early = find_early(unpatching);
	if (!early)
		return;
	stuck = count_stuck(unpatching);
	use_order(unpatching, early);
	know_barred(unpatching);
	if (count_stuck(unpatching) >= stuck)
		use_order(unpatching, 0);
}
