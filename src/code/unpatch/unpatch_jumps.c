/* Where jumps lie that lead from a text at home into relocated code. */
#include "code/unpatch/unpatch_jumps.h"

#include "code/unpatch/unpatching.h"

/* Whether nobody comes to bytes but to the first of them, if that is a block's. What
 * other pages have of older texts may lead to any block. */
static bool is_free(const struct homing *homing, uint32_t offset, uint32_t size)
{
	const enum byte_flag taken = BYTE_OPEN | BYTE_KEPT;
	const enum byte_flag come_to =
		BYTE_ENTERED | (homing->pages ? (unsigned)BYTE_LEADER : 0);

	if (offset + size > home_size(homing->request->function) ||
	    !homing_on_one_page(homing, offset, size))
		return false;
	for (uint32_t i = offset; i < offset + size; i++)
		if (homing->bytes[i] & taken ||
		    (i > offset && homing->bytes[i] & come_to))
			return false;
	return true;
}

/* Leads from an offset to a block's relocated code. */
static void add_jump(struct homing *homing, uint32_t block, uint32_t offset,
		     uint8_t *text)
{
	const struct plan_function *function = homing->request->function;
	int32_t distance =
		(int32_t)(homing->request->plan->code_address + homing->fronts[block] -
			  (function->address + offset + JUMP));

	homing_mark(homing, homing->bytes, offset, JUMP, BYTE_KEPT);
	text[offset] = 0xe9;
	memcpy(text + offset + 1, &distance, sizeof(distance));
}

/* Whether a jump at a block's start, on the same page, leads away what comes to it: so
 * nobody runs from there to an offset behind it, whatever other pages have. */
static bool leads_away(const struct homing *homing, uint32_t block, uint32_t offset,
		       const uint8_t *text)
{
	uint32_t start = homing->blocks[block].offset;

	if (homing->states[block] != BLOCK_LED || !(homing->bytes[start] & BYTE_KEPT) ||
	    text[start] == homing->request->original[start] ||
	    !homing_on_one_page(homing, start, offset - start))
		return false;
	/* Nor from where a call in it returns to. */
	while (++start < offset)
		if (homing->bytes[start] & BYTE_ENTERED)
			return false;
	return true;
}

/* A block is sealed while it and all that may go on to it is on one page, and that is led
 * away or sealed itself. Returns whether one is no more. */
static bool unseal(struct homing *homing, uint32_t from, uint32_t to, const uint8_t *text)
{
	const struct plan_block *block = &homing->blocks[from];

	if (!homing->sealed[to] ||
	    ((homing->sealed[from] ||
	      leads_away(homing, from, block->offset + block->size, text)) &&
	     homing_both_on_one_page(homing, block->offset, block->size,
				     homing->blocks[to].offset, 1)))
		return false;
	homing->sealed[to] = false;
	return true;
}

static bool is_entered(const struct homing *homing, const struct plan_block *block)
{
	for (uint32_t i = block->offset; i < block->offset + block->size; i++)
		if (homing->bytes[i] & BYTE_ENTERED)
			return true;
	return false;
}

/* Which blocks nobody comes to, in whatever states other pages are. */
static void seal_blocks(struct homing *homing, const uint8_t *text)
{
	bool fewer = true;
	uint32_t to[2];

	for (uint32_t b = 0; b < homing->count; b++) {
		const struct plan_block *row = &homing->blocks[b];

		homing->sealed[b] = homing->states[b] == BLOCK_CLOSED &&
				    homing_on_one_page(homing, row->offset, row->size) &&
				    !is_entered(homing, row);
	}
	while (fewer) {
		fewer = false;
		for (uint32_t b = 0; b < homing->count; b++) {
			uint32_t count = homing_goes_on(homing, b, to);

			while (count)
				fewer |= unseal(homing, b, to[--count], text);
		}
	}
	for (uint32_t b = 0; b < homing->count; b++)
		if (homing->sealed[b])
			homing_mark(homing, homing->bytes, homing->blocks[b].offset,
				    homing->blocks[b].size, BYTE_SEALED);
}

/* Whether an island may lie in blocks that nobody comes to. */
static bool is_sealed(const struct homing *homing, uint32_t offset)
{
	for (uint32_t i = offset; i < offset + JUMP; i++)
		if ((homing->bytes[i] & (BYTE_SEALED | BYTE_KEPT)) != BYTE_SEALED)
			return false;
	return true;
}

/* Where the island of a short jump at an offset may lie; NOWHERE. */
static uint32_t find_island(struct homing *homing, uint32_t offset, const uint8_t *text)
{
	uint32_t behind = offset + SHORT_JUMP;
	uint32_t at = behind > SHORT_REACH ? behind - SHORT_REACH : 0;

	for (; at < behind + SHORT_REACH; at++)
		if (at + JUMP <= home_size(homing->request->function) &&
		    homing_both_on_one_page(homing, offset, SHORT_JUMP, at, JUMP) &&
		    (is_sealed(homing, at) ||
		     (is_free(homing, at, JUMP) && !(homing->bytes[at] & BYTE_LEADER) &&
		      leads_away(homing, homing_block(homing, at), at + JUMP, text))))
			return at;
	return NOWHERE;
}

/* Jumps of either size, for blocks that have none yet. */
static void add_long_jumps(struct homing *homing, uint8_t *text)
{
	for (uint32_t b = 0; b < homing->count; b++) {
		uint32_t offset = homing->blocks[b].offset;

		if (homing->states[b] != BLOCK_LED || homing->led[b])
			continue;
		if (homing->fronts[b] == PLAN_NO_SLOT)
			homing->no_room[b] = true;
		else if (is_free(homing, offset, JUMP))
			add_jump(homing, b, offset, text);
		else if (is_free(homing, offset, SHORT_JUMP))
			homing->queue[homing->short_count++] = b;
		else
			homing->no_room[b] = true;
	}
}

static void add_short_jumps(struct homing *homing, uint8_t *text)
{
	for (uint32_t i = 0; i < homing->short_count; i++)
		homing_mark(homing, homing->bytes,
			    homing->blocks[homing->queue[i]].offset, SHORT_JUMP,
			    BYTE_KEPT);
	if (homing->short_count)
		seal_blocks(homing, text);
	for (uint32_t i = 0; i < homing->short_count; i++) {
		uint32_t block = homing->queue[i], offset = homing->blocks[block].offset;
		uint32_t island = find_island(homing, offset, text);

		if (island == NOWHERE) {
			homing->no_room[block] = true;
			continue;
		}
		add_jump(homing, block, island, text);
		text[offset] = 0xeb;
		text[offset + 1] = (uint8_t)(island - (offset + SHORT_JUMP));
	}
}

void homing_add_jumps(struct homing *homing, uint8_t *text)
{
	add_long_jumps(homing, text);
	add_short_jumps(homing, text);
}
