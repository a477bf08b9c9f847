#include "code/relocate/switch_reach.h"

#include "code/relocate/switches.h"
#include "x86/operands.h"

#include <string.h>

/* What a register has: an address of a table, or one of these. */
enum { UNSEEN = 0, ANYTHING = 1 };

/* Registers that functions keep for their callers: rbx, rbp, r12 to r15. */
enum { KEPT_BY_CALLS = 1 << 3 | 1 << 5 | 0xf000 };

/* What register `number` has behind an instruction, if it has `value` in front of it. */
static uint64_t value_behind(const struct cfg *cfg, const struct cfg_instruction *row,
			     int number, uint64_t value)
{
	struct operands operands;
	int named;

	if (switches_is_lea(cfg, row, &named))
		return named != number                         ? value
		       : switches_find_table(cfg, row->target) ? row->target
							       : ANYTHING;
	if (cfg_is_in_place(row))
		return KEPT_BY_CALLS >> number & 1 ? value : ANYTHING;
	if (cfg_is_pair(cfg, row) ||
	    !operands_read(cfg->bytes + row->offset, row->length, &operands))
		return ANYTHING;
	return operands.changed >> number & 1 ? ANYTHING : value;
}

/* Behind the first `count` instructions of a block. */
static uint64_t value_in(const struct cfg *cfg, const struct cfg_block *block,
			 uint32_t count, int number, uint64_t value)
{
	for (uint32_t i = 0; i < count; i++)
		value = value_behind(cfg, &cfg->instructions.items[block->first + i],
				     number, value);
	return value;
}

/* What reaches the starts of blocks. */
struct reach {
	uint64_t *values; /* by block */
	uint64_t *passed; /* by block: behind it; UNSEEN: as in front of it */
};

static bool join_value(uint64_t *value, uint64_t other)
{
	const uint64_t before = *value;

	if (other != UNSEEN && other != before)
		*value = before == UNSEEN ? other : ANYTHING;
	return *value != before;
}

static bool pass_on(const struct cfg *cfg, struct reach *reach, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];
	uint64_t behind = reach->passed[block] != UNSEEN ? reach->passed[block]
							 : reach->values[block];
	bool changed = false;

	for (uint32_t i = row->first_edge; i < row->first_edge + row->edge_count; i++)
		if (cfg->edges.items[i].to != CFG_OUT)
			changed |= join_value(&reach->values[cfg->edges.items[i].to],
					      behind);
	return changed;
}

/* Forwards over the blocks until nothing changes. */
static void find_values(const struct cfg *cfg, struct reach *reach, int number)
{
	bool changed = true;

	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];

		reach->values[b] = !b || block->exposed ? ANYTHING : UNSEEN;
		reach->passed[b] = value_in(cfg, block, block->count, number, UNSEEN);
	}
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < cfg->blocks.count; b++)
			changed |= pass_on(cfg, reach, b);
	}
}

/* The block of an instruction, which is not far in front of `block`'s end. */
static uint32_t block_of(const struct cfg *cfg, uint32_t block, size_t instruction)
{
	while (cfg->blocks.items[block].first > instruction)
		block--;
	return block;
}

bool switch_reach_find(struct cfg *cfg)
{
	struct reach reach = {0};
	bool found = false;
	int number, known = -1;
	size_t load;

	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		const size_t last = block->first + block->count - 1;
		struct cfg_instruction *row = &cfg->instructions.items[last];
		uint64_t value;
		uint32_t from;

		if (row->kind != CFG_SWITCH || row->target ||
		    !switches_base(cfg, last, &number, &load))
			continue;
		if (!reach.values) {
			reach.values = memory_allocate_zeroed(cfg->blocks.count,
							      sizeof(*reach.values));
			reach.passed = memory_allocate_zeroed(cfg->blocks.count,
							      sizeof(*reach.passed));
		}
		if (number != known)
			find_values(cfg, &reach, number);
		known = number;
		from = block_of(cfg, b, load);
		value = value_in(cfg, &cfg->blocks.items[from],
				 (uint32_t)load - cfg->blocks.items[from].first, number,
				 reach.values[from]);
		if (value == UNSEEN || value == ANYTHING)
			continue;
		row->target = value;
		found = true;
	}
	free(reach.values);
	free(reach.passed);
	return found;
}
