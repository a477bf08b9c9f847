#include "tool/switch_index.h"

#include "code/relocate/switches.h"

/* Of a table with n entries and few targets the search is short; large ones are rare. */
static void add_target(struct switch_targets *targets, uint64_t target)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i] == target)
			return;
	vector_push(targets, target);
}

void switch_index_targets(const struct cfg *cfg, const struct cfg_instruction *row,
			  struct switch_targets *ret_targets)
{
	vector_for_each (&cfg->tables, table)
		for (uint32_t i = 0; i < table->count; i++)
			if (!row->target || table->address == row->target)
				add_target(ret_targets, switches_entry(cfg, table, i));
}

bool switch_index_of_edge(const struct cfg *cfg, uint32_t edge, uint64_t *ret_target,
			  uint32_t *ret_index)
{
	const struct cfg_edge *row = &cfg->edges.items[edge];
	const struct cfg_block *from = &cfg->blocks.items[row->from];
	struct switch_targets targets = {0};
	uint32_t index = 0;
	bool found;

	if (row->kind != CFG_EDGE_SWITCH || row->to == CFG_OUT)
		return false;
	switch_index_targets(cfg, &cfg->instructions.items[from->first + from->count - 1],
			     &targets);
	while (index < targets.count &&
	       cfg_block_at(cfg, targets.items[index]) != row->to)
		index++;
	found = index < targets.count;
	if (found) {
		*ret_target = targets.items[index];
		*ret_index = index;
	}
	vector_deinit(&targets);
	return found;
}
