/* Jumps from an unpatched text into relocated code: where they lie. */
#include "code/unpatch/unpatch_jumps.h"

#include "code/unpatch/unpatching.h"

/* Whether bytes are never reached, except for the first, if a block begins there. Older
 * texts of other pages may lead to any block. */
static bool is_free(const struct unpatching *unpatching, uint32_t offset, uint32_t size)
{
	const enum byte_flag taken = BYTE_OPEN | BYTE_KEPT;
	const enum byte_flag come_to =
		BYTE_ENTERED | (unpatching->pages ? (unsigned)BYTE_LEADER : 0);

	if (offset + size > unpatch_size(unpatching->request->function) ||
	    !unpatching_on_one_page(unpatching, offset, size))
		return false;
	for (uint32_t i = offset; i < offset + size; i++)
		if (unpatching->bytes[i] & taken ||
		    (i > offset && unpatching->bytes[i] & come_to))
			return false;
	return true;
}

/* Leads from an offset to a block's relocated code. */
static void add_jump(struct unpatching *unpatching, uint32_t block, uint32_t offset,
		     uint8_t *text)
{
	const struct plan_function *function = unpatching->request->function;
	int32_t distance = (int32_t)(unpatching->request->plan->code_address +
				     unpatching->fronts[block] -
				     (function->address + offset + JUMP));

	unpatching_mark(unpatching, unpatching->bytes, offset, JUMP, BYTE_KEPT);
	text[offset] = 0xe9;
	memcpy(text + offset + 1, &distance, sizeof(distance));
}

/* Whether a jump at a block's start, on the same page, leads all flow away: then an
 * offset behind it is never reached from there, whatever other pages hold. */
static bool leads_away(const struct unpatching *unpatching, uint32_t block,
		       uint32_t offset, const uint8_t *text)
{
	uint32_t start = unpatching->blocks[block].offset;

	if (unpatching->states[block] != BLOCK_LED ||
	    !(unpatching->bytes[start] & BYTE_KEPT) ||
	    text[start] == unpatching->request->original[start] ||
	    !unpatching_on_one_page(unpatching, start, offset - start))
		return false;
	/* Nor from where a call in it returns to. */
	while (++start < offset)
		if (unpatching->bytes[start] & BYTE_ENTERED)
			return false;
	return true;
}

/* A block is sealed while it and all that may go on to it is on one page, and that is led
 * away or sealed itself. Returns whether one is no more. */
static bool unseal_bytes(struct unpatching *unpatching, uint32_t from, uint32_t to,
			 const uint8_t *text)
{
	const struct plan_block *block = &unpatching->blocks[from];

	if (!unpatching->sealed[to] ||
	    ((unpatching->sealed[from] ||
	      leads_away(unpatching, from, block->offset + block->size, text)) &&
	     unpatching_both_on_one_page(unpatching, block->offset, block->size,
					 unpatching->blocks[to].offset, 1)))
		return false;
	unpatching->sealed[to] = false;
	return true;
}

static bool is_entered(const struct unpatching *unpatching,
		       const struct plan_block *block)
{
	for (uint32_t i = block->offset; i < block->offset + block->size; i++)
		if (unpatching->bytes[i] & BYTE_ENTERED)
			return true;
	return false;
}

/* Finds the blocks that are never reached, in whatever states other pages are. */
static void seal_blocks(struct unpatching *unpatching, const uint8_t *text)
{
	bool fewer = true;
	uint32_t to[2];

	for (uint32_t b = 0; b < unpatching->count; b++) {
		const struct plan_block *row = &unpatching->blocks[b];

		unpatching->sealed[b] =
			unpatching->states[b] == BLOCK_CLOSED &&
			unpatching_on_one_page(unpatching, row->offset, row->size) &&
			!is_entered(unpatching, row);
	}
	while (fewer) {
		fewer = false;
		for (uint32_t b = 0; b < unpatching->count; b++) {
			uint32_t count = unpatching_goes_on(unpatching, b, to);

			while (count)
				fewer |= unseal_bytes(unpatching, b, to[--count], text);
		}
	}
	for (uint32_t b = 0; b < unpatching->count; b++)
		if (unpatching->sealed[b])
			unpatching_mark(unpatching, unpatching->bytes,
					unpatching->blocks[b].offset,
					unpatching->blocks[b].size, BYTE_SEALED);
}

/* Whether an island may lie in blocks that are never reached. */
static bool is_sealed(const struct unpatching *unpatching, uint32_t offset)
{
	for (uint32_t i = offset; i < offset + JUMP; i++)
		if ((unpatching->bytes[i] & (BYTE_SEALED | BYTE_KEPT)) != BYTE_SEALED)
			return false;
	return true;
}

/* Offset for the island of a short jump; NOWHERE: none. */
static uint32_t find_island(struct unpatching *unpatching, uint32_t offset,
			    const uint8_t *text)
{
	uint32_t behind = offset + SHORT_JUMP;
	uint32_t at = behind > SHORT_REACH ? behind - SHORT_REACH : 0;

	for (; at < behind + SHORT_REACH; at++)
		if (at + JUMP <= unpatch_size(unpatching->request->function) &&
		    unpatching_both_on_one_page(unpatching, offset, SHORT_JUMP, at,
						JUMP) &&
		    (is_sealed(unpatching, at) ||
		     (is_free(unpatching, at, JUMP) &&
		      !(unpatching->bytes[at] & BYTE_LEADER) &&
		      leads_away(unpatching, unpatching_block(unpatching, at), at + JUMP,
				 text))))
			return at;
	return NOWHERE;
}

/* Jumps of either size, for blocks that have none yet. */
static void add_long_jumps(struct unpatching *unpatching, uint8_t *text)
{
	for (uint32_t b = 0; b < unpatching->count; b++) {
		uint32_t offset = unpatching->blocks[b].offset;

		if (unpatching->states[b] != BLOCK_LED || unpatching->led[b])
			continue;
		if (unpatching->fronts[b] == PLAN_NO_SLOT)
			unpatching->no_room[b] = true;
		else if (is_free(unpatching, offset, JUMP))
			add_jump(unpatching, b, offset, text);
		else if (is_free(unpatching, offset, SHORT_JUMP))
			unpatching->queue[unpatching->short_count++] = b;
		else
			unpatching->no_room[b] = true;
	}
}

static void add_short_jumps(struct unpatching *unpatching, uint8_t *text)
{
	for (uint32_t i = 0; i < unpatching->short_count; i++)
		unpatching_mark(unpatching, unpatching->bytes,
				unpatching->blocks[unpatching->queue[i]].offset,
				SHORT_JUMP, BYTE_KEPT);
	if (unpatching->short_count)
		seal_blocks(unpatching, text);
	for (uint32_t i = 0; i < unpatching->short_count; i++) {
		uint32_t block = unpatching->queue[i],
			 offset = unpatching->blocks[block].offset;
		uint32_t island = find_island(unpatching, offset, text);

		if (island == NOWHERE) {
			unpatching->no_room[block] = true;
			continue;
		}
		add_jump(unpatching, block, island, text);
		text[offset] = 0xeb;
		text[offset + 1] = (uint8_t)(island - (offset + SHORT_JUMP));
	}
}

void unpatching_add_jumps(struct unpatching *unpatching, uint8_t *text)
{
	add_long_jumps(unpatching, text);
	add_short_jumps(unpatching, text);
}
