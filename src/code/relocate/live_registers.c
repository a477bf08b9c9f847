#include "code/relocate/live_registers.h"

#include "x86/flags.h"
#include "x86/memo.h"
#include "x86/operands.h"

#include <stdlib.h>

enum { HALF = 16, KNOWN_BITS = 12 };

/* What an instruction does to registers, by its bytes. */
struct live_effect {
	struct memo_key key;
	uint32_t effect;
};

static uint32_t decode_effect(const uint8_t *bytes, size_t length)
{
	struct operands operands;

	return operands_read(bytes, length, &operands)
		       ? operands.read | (uint32_t)operands.written << HALF
		       : LIVE_ALL;
}

static uint32_t find_effect(struct live_registers *live, const uint8_t *bytes,
			    size_t length)
{
	const struct memo_key key = memo_key_of(bytes, length);
	struct live_effect *row;

	if (!live->known)
		live->known = memory_allocate_zeroed(1 << KNOWN_BITS, sizeof(*row));
	row = &live->known[memo_row(&key, KNOWN_BITS)];
	if (!memo_key_is(&row->key, &key))
		*row = (struct live_effect){key, decode_effect(bytes, length)};
	return row->effect;
}

/* Registers read, and in the upper half those replaced. */
static uint32_t effect_of(struct live_registers *live, const struct cfg *cfg,
			  const struct cfg_instruction *row)
{
	if (row->kind != CFG_PLAIN && row->kind != CFG_JUMP &&
	    row->kind != CFG_CONDITION && row->kind != CFG_LOOP &&
	    row->kind != CFG_SWITCH)
		return LIVE_ALL;
	/* Of two instructions in one row the second reads all that it changes. */
	return cfg_is_pair(cfg, row)
		       ? LIVE_ALL
		       : find_effect(live, cfg->bytes + row->offset, row->length);
}

static uint16_t pass_back(uint32_t effect, uint16_t live)
{
	return (uint16_t)((live & ~(effect >> HALF)) | (effect & LIVE_ALL));
}

/* Alive behind a block: what its successors need. */
static uint16_t live_behind(const struct live_registers *live, const struct cfg *cfg,
			    const struct cfg_block *block)
{
	uint16_t all = 0;

	if (!block->edge_count)
		return LIVE_ALL;
	for (uint32_t i = 0; i < block->edge_count; i++) {
		uint32_t to = cfg->edges.items[block->first_edge + i].to;

		all |= to == CFG_OUT ? LIVE_ALL
				     : live->before.items[cfg->blocks.items[to].first];
	}
	return all;
}

/* Whether something changed at its start. */
static bool update_block(struct live_registers *live, const struct cfg *cfg,
			 const struct cfg_block *block)
{
	uint16_t alive = live_behind(live, cfg, block), before;

	before = live->before.items[block->first];
	for (uint32_t i = block->first + block->count; i-- > block->first;) {
		alive = pass_back(live->read_written.items[i], alive);
		live->before.items[i] = alive;
	}
	return alive != before;
}

static void find_flags(struct live_registers *live, const struct cfg *cfg)
{
	vector_for_each (&cfg->blocks, block) {
		uint8_t alive = block->live_out;

		for (uint32_t i = block->first + block->count; i-- > block->first;) {
			alive = cfg_live_before(&cfg->instructions.items[i], alive);
			live->flags.items[i] = alive;
		}
	}
}

void live_registers_find(struct live_registers *live, const struct cfg *cfg)
{
	const size_t count = cfg->instructions.count;
	bool changed = true;

	vector_reserve(&live->before, count + 1);
	vector_reserve(&live->flags, count + 1);
	vector_reserve(&live->read_written, count + 1);
	for (size_t i = 0; i < count; i++) {
		live->before.items[i] = 0;
		live->flags.items[i] = FLAGS_ALL;
		live->read_written.items[i] =
			effect_of(live, cfg, &cfg->instructions.items[i]);
	}
	while (changed) {
		changed = false;
		for (size_t b = cfg->blocks.count; b--;)
			changed |= update_block(live, cfg, &cfg->blocks.items[b]);
	}
	find_flags(live, cfg);
}

void live_registers_deinit(struct live_registers *live)
{
	vector_deinit(&live->before);
	vector_deinit(&live->flags);
	vector_deinit(&live->read_written);
	free(live->known);
}
