#include "code/relocate/block_order.h"

static bool is_moved(const struct whole *whole, uint32_t block)
{
	return block && whole->blocks.items[block].cold;
}

/* Whether the condition at the end of a block runs best the other way round: the block
 * behind it was moved away, and what it leads to comes next. */
static bool is_turned(const struct whole *whole, uint32_t number)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *block = &cfg->blocks.items[number];
	const struct whole_block *blocks = whole->blocks.items;
	uint32_t last = block->first + block->count - 1;
	uint32_t to;

	for (uint32_t i = 0; whole->points && i < block->edge_count; i++)
		if (point_places_have(whole->points, POINT_EDGE, block->first_edge + i))
			return false;

	if (cfg->instructions.items[last].kind != CFG_CONDITION ||
	    whole_in_place(whole, last) || number + 1 == cfg->blocks.count)
		return false;
	to = cfg_block_at(cfg, cfg->instructions.items[last].target);
	return to != CFG_OUT && to == blocks[number].next && !is_moved(whole, number) &&
	       is_moved(whole, number + 1) && !is_moved(whole, to) &&
	       blocks[number + 1].stub == WHOLE_NONE && blocks[to].stub == WHOLE_NONE;
}

void block_order_choose(struct whole *whole)
{
	const uint32_t count = (uint32_t)whole->cfg->blocks.count;
	struct whole_block *blocks = whole->blocks.items;
	uint32_t last = WHOLE_NONE;

	for (unsigned moved = 0; moved < 2; moved++)
		for (uint32_t b = 0; b < count; b++) {
			if (is_moved(whole, b) != moved)
				continue;
			blocks[b].next = WHOLE_NONE;
			if (last != WHOLE_NONE)
				blocks[last].next = b;
			last = b;
		}
	for (uint32_t b = 0; b < count; b++)
		blocks[b].turned = is_turned(whole, b);
}
