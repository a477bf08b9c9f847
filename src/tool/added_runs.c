#include "tool/added_runs.h"

#include "base/search.h"
#include "code/relocate/cfg.h"

/* The run that is being found. */
struct run {
	struct added *last; /* NULL: none */
	uint32_t block;
	uint32_t at; /* number of the last instruction */
};

/* The block that an instruction belongs to. */
static uint32_t block_with(const struct cfg *cfg, uint32_t instruction)
{
	return (uint32_t)search_first(cfg->blocks.count, middle,
				      cfg->blocks.items[middle].first <= instruction) -
	       1;
}

/* Whether control goes from one instruction to a later one of its block without leaving
 * the function. */
static bool stays_inside(const struct cfg *cfg, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (cfg->instructions.items[i].kind != CFG_PLAIN)
			return false;
	return true;
}

static bool goes_on(const struct run *run, const struct cfg *cfg,
		    const struct added *item, uint32_t block, uint32_t at)
{
	const struct added *last = run->last;

	return last && block == run->block && at >= run->at &&
	       last->counter == item->counter && last->run.size == item->run.size &&
	       (last->run.index + 2) * item->run.size <= RECIPE_RUN_MAX &&
	       stays_inside(cfg, run->at, at);
}

static void add_item(struct run *run, const struct cfg *cfg, struct added *item)
{
	const uint32_t at = added_instruction_at(cfg, item->address);
	const uint32_t block = block_with(cfg, at);

	if (at == cfg->instructions.count || item->where == ADDED_EDGE ||
	    item->where == ADDED_ENTRY) {
		run->last = NULL;
		return;
	}
	if (goes_on(run, cfg, item, block, at))
		item->run.index = (uint16_t)(run->last->run.index + 1);
	*run = (struct run){item, block, at};
}

void added_find_runs(struct added_function *added, const struct cfg *cfg)
{
	struct run run = {0};
	uint16_t count = 1;

	vector_for_each (&added->items, item) {
		if (item->what != ADDED_TRACE)
			continue;
		item->run = (struct recipe_run){
			0, 1, (uint16_t)(item->count * sizeof(uint64_t))};
		if (cfg)
			add_item(&run, cfg, item);
	}
	for (size_t i = added->items.count; i-- > 0;) {
		struct added *item = &added->items.items[i];

		if (item->what != ADDED_TRACE)
			continue;
		item->run.count = count > item->run.index + 1
					  ? count
					  : (uint16_t)(item->run.index + 1);
		count = item->run.index ? item->run.count : 1;
	}
}
