/* Which blocks nobody may come to while some pages of a text at home are written and
 * others are not, and in which order they are written. */
#include "code/unpatch/unpatch_bars.h"

#include "code/unpatch/unpatching.h"

static bool bar(struct homing *homing, uint32_t block)
{
	homing->barred[block] = homing_turn(homing, block);
	return homing->barred[block];
}

/* A patch that runs of which begin in front of it, or in its middle. Returns whether
 * blocks are barred. */
static bool bar_around(struct homing *homing, const struct home_patch *patch)
{
	uint32_t end = patch->offset + patch->size;
	uint32_t block = homing_block(homing, patch->offset);
	bool some = false;

	for (uint32_t i = patch->offset + 1; i < end; i++)
		if (homing->known[i] & BYTE_LEADER)
			some |= bar(homing, homing->leaders[i]);
	if (patch->from == patch->offset || homing->led[block])
		return some;
	if (!homing_on_one_page(homing, homing->blocks[block].offset,
				end - homing->blocks[block].offset))
		homing->kept[block] = true;
	return some | bar(homing, block);
}

/* A block goes on to what is barred up to a turn: as far as its own page has the plan's
 * text as well. Returns whether it is barred now for more. */
static bool bar_source(struct homing *homing, uint32_t from, uint32_t barred)
{
	uint32_t own;

	if (homing->barred[from] >= barred || homing->led[from])
		return false;
	own = homing_turn(homing, from);
	barred = barred < own ? barred : own;
	if (homing->barred[from] >= barred)
		return false;
	homing->barred[from] = barred;
	return true;
}

/* The turn up to which some block is barred that a switch leads to. */
static uint32_t find_led_barred(const struct homing *homing)
{
	uint32_t most = 0;

	for (uint32_t b = 0; b < homing->count; b++)
		if (homing->blocks[b].flags & PLAN_BLOCK_LED && homing->barred[b] > most)
			most = homing->barred[b];
	return most;
}

/* What names a switch's table goes on to all that switches lead to. */
static bool bar_sources(struct homing *homing)
{
	const uint32_t led = find_led_barred(homing);
	bool more = false;
	uint32_t to[2];

	for (uint32_t b = homing->count; b--;) {
		uint32_t count = homing_goes_on(homing, b, to);

		while (count)
			more |= bar_source(homing, b, homing->barred[to[--count]]);
		if (homing->blocks[b].flags & PLAN_BLOCK_NAMES)
			more |= bar_source(homing, b, led);
	}
	return more;
}

/* Which blocks what runs on pages that are written before may not come to, as in the
 * plan's text they would run into an island, or into the middle of a patch: themselves,
 * or what they go on to. The pages whose turn was before one's are new, and it and those
 * whose turn comes later are old. A block is barred up to the latest turn for which it
 * is. */
static void know_barred(struct homing *homing)
{
	bool more = false;

	if (homing->pages)
		vector_for_each (&homing->patches, patch)
			more |= bar_around(homing, patch);
	while (more)
		more = bar_sources(homing);
	homing->led_barred = find_led_barred(homing);
}

/* How much leads where it may not and cannot be led elsewhere, and so cannot run at home:
 * a switch leads to many blocks. */
static uint32_t count_stuck(const struct homing *homing)
{
	uint32_t count = 0, names = 0, cases = 0;

	for (uint32_t b = 0; b < homing->count; b++) {
		const struct plan_block *row = &homing->blocks[b];
		uint32_t own = homing_turn(homing, b);

		names += row->flags & PLAN_BLOCK_NAMES && own < homing->led_barred;
		cases += (row->flags & PLAN_BLOCK_LED) != 0;
		count += row->flags & PLAN_BLOCK_FALLS && own < homing->barred[b + 1];
		count += row->to != PLAN_EDGE_OUT && own < homing->barred[row->to] &&
			 !homing_has_wide_branch(homing, row);
	}
	return count + names * cases;
}

/* The pages of blocks that switches lead to and that are barred. */
static uint64_t find_early(const struct homing *homing)
{
	uint64_t early = 0;

	for (uint32_t b = 0; b < homing->count; b++) {
		uint32_t page = homing_page(homing, homing->blocks[b].offset);

		if (homing->blocks[b].flags & PLAN_BLOCK_LED && homing->barred[b] &&
		    page < HOME_EARLY_PAGES)
			early |= 1ull << page;
	}
	return early;
}

static void use_order(struct homing *homing, uint64_t early)
{
	homing->early = early;
	homing->barred = homing->bars[early != 0];
	homing->led_barred = find_led_barred(homing);
}

void homing_choose_order(struct homing *homing)
{
	uint32_t stuck;
	uint64_t early;

	know_barred(homing);
	early = find_early(homing);
	if (!early)
		return;
	stuck = count_stuck(homing);
	use_order(homing, early);
	know_barred(homing);
	if (count_stuck(homing) >= stuck)
		use_order(homing, 0);
}
