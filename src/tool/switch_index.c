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
