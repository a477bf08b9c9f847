#include "code/relocate/table_clones.h"

#include "base/page.h"
#include "code/relocate/switches.h"

#include <string.h>

bool table_clones_have_addresses(const struct whole *whole)
{
	vector_for_each (&whole->cfg->tables, table)
		if (!table->bytes)
			return true;
	return false;
}

void table_clones_reserve(struct whole *whole, struct emitter *emitter)
{
	bool apart = whole->flags && table_clones_have_addresses(whole);

	if (apart)
		emit_align(emitter, PAGE);
	whole->clones.count = 0;
	vector_for_each (&whole->cfg->tables, table) {
		size_t size = (size_t)table->count * table->entry_size;

		emit_align(emitter, table->entry_size);
		vector_push(&whole->clones, (uint32_t)emitter->count);
		if (size > emitter->capacity - emitter->count)
			emitter->full = true;
		else
			emitter->count += size;
	}
	if (apart)
		emit_align(emitter, PAGE);
}

/* The block that ends in the switch with this table; CFG_OUT: none, or its edges have no
 * counters. Where several do they have none. */
static uint32_t switch_with(const struct whole *whole, const struct cfg_table *table)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t b = 0; whole->edges.count && b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		const struct cfg_instruction *last =
			&cfg->instructions.items[block->first + block->count - 1];

		if (last->kind == CFG_SWITCH && last->target == table->address)
			return b;
	}
	return CFG_OUT;
}

/* The piece of the edge from a switch to a block; WHOLE_NONE: none. */
static uint32_t switch_piece(const struct whole *whole, uint32_t from, uint32_t to)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *row;

	if (from == CFG_OUT || to == CFG_OUT)
		return WHOLE_NONE;
	row = &cfg->blocks.items[from];
	for (uint32_t i = row->first_edge; i < row->first_edge + row->edge_count; i++)
		if (cfg->edges.items[i].to == to)
			return whole->edges.items[i].code;
	return WHOLE_NONE;
}

/* The target of a clone's entry: targets outside of the function are unchanged. */
static uint64_t cloned_target(const struct whole *whole, const struct emitter *emitter,
			      const struct cfg_table *table, uint32_t from,
			      uint32_t index)
{
	uint64_t target = switches_entry(whole->cfg, table, index);
	uint32_t block = cfg_block_at(whole->cfg, target);
	uint32_t piece = switch_piece(whole, from, block);

	if (!table->bytes && !whole->cfg->words.items[table->first_word + index].label)
		return target;
	if (piece != WHOLE_NONE)
		return emitter->address + piece;
	if (block == CFG_OUT || whole->blocks.items[block].stub != WHOLE_NONE)
		return target;
	/* A label: any code may have it. */
	if (whole->paths && !table->bytes && whole->entrances.items[block] != WHOLE_NONE)
		return emitter->address + whole->entrances.items[block];
	return emitter->address + whole->blocks.items[block].code;
}

/* A label is a whole address, which depends on where the module is loaded. */
static void note_label(const struct whole *whole, struct emitter *emitter,
		       const struct cfg_table *table, uint32_t index, uint32_t at)
{
	struct plan *plan = emitter->plan;

	if (!plan || table->bytes ||
	    !whole->cfg->words.items[table->first_word + index].address)
		return;
	vector_push(&plan->fixups,
		    ((struct plan_fixup){.offset = at + index * table->entry_size,
					 .kind = PLAN_FIXUP_ADDRESS}));
}

void table_clones_fill(const struct whole *whole, struct emitter *emitter)
{
	for (size_t t = 0; t < whole->cfg->tables.count; t++) {
		const struct cfg_table *table = &whole->cfg->tables.items[t];
		uint32_t at = whole->clones.items[t];
		uint32_t from = switch_with(whole, table);

		for (uint32_t i = 0; i < table->count; i++) {
			uint64_t target = cloned_target(whole, emitter, table, from, i);
			int32_t distance = (int32_t)(target - (emitter->address + at));
			uint32_t offset = at + i * table->entry_size;
			uint8_t *entry = emitter->code + offset;
			bool wide = table->entry_size == sizeof(target);

			note_label(whole, emitter, table, i, at);
			if (emit_is_own(emitter, target) == wide)
				emit_note_shift(emitter, offset,
						wide ? EMIT_SHIFT_WORD64
						     : EMIT_SHIFT_OUT);
			memcpy(entry, wide ? (const void *)&target : &distance,
			       table->entry_size);
		}
	}
}
