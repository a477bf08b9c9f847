#include "tool/switch_index.h"

#include "base/array.h"
#include "code/points/recipe.h"
#include "code/points/recipe_state.h"
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

struct leaf {
	int32_t offset; /* from the start of the function */
	int32_t index;
};
struct leaves VECTOR(struct leaf);

static int compare_leaves(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;

	return compare_numbers(a->offset, b->offset);
}

/* Finds the leaf with the offset in register `from`, of [first, first + count), by
 * halves. */
static void search_leaves(struct recipe *recipe, int to, int from,
			  const struct leaf *first, size_t count, int end)
{
	size_t half = count / 2;
	int above;

	if (count == 1) {
		recipe_compute_constant(recipe, RECIPE_MOVE, to, first->index);
		recipe_skip(recipe, end);
		return;
	}
	above = recipe_label(recipe);
	recipe_skip_if_constant(recipe, from, RECIPE_NOT_LESS, first[half].offset, above);
	search_leaves(recipe, to, from, first, half, end);
	recipe_place_label(recipe, above);
	search_leaves(recipe, to, from, first + half, count - half, end);
}

static void load_index(struct recipe *recipe, int to, const struct cfg *cfg,
		       const struct leaves *leaves)
{
	int from = recipe_take(recipe), end = recipe_label(recipe);

	recipe_value(recipe, from, (struct recipe_value){.kind = RECIPE_TARGET});
	recipe_value(recipe, to,
		     (struct recipe_value){.kind = RECIPE_MODULE,
					   .constant = (int64_t)cfg->address});
	recipe_compute(recipe, RECIPE_MINUS, from, to);
	search_leaves(recipe, to, from, leaves->items, leaves->count, end);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, from);
}

void switch_index_load(struct recipe *recipe, int to, const struct cfg *cfg,
		       uint32_t number)
{
	struct switch_targets targets = {0};
	struct leaves leaves = {0};

	if (number >= cfg->instructions.count ||
	    cfg->instructions.items[number].kind != CFG_SWITCH) {
		recipe_fail(recipe, POINT_UNREADABLE);
		return;
	}
	switch_index_targets(cfg, &cfg->instructions.items[number], &targets);
	for (size_t i = 0; i < targets.count; i++)
		vector_push(&leaves,
			    ((struct leaf){(int32_t)(targets.items[i] - cfg->address),
					   (int32_t)i}));
	if (!leaves.count || leaves.count > SWITCH_TARGETS_MAX) {
		recipe_fail(recipe, leaves.count ? POINT_TOO_LONG : POINT_UNREADABLE);
	} else {
		qsort(leaves.items, leaves.count, sizeof(*leaves.items), compare_leaves);
		load_index(recipe, to, cfg, &leaves);
	}
	vector_deinit(&targets);
	vector_deinit(&leaves);
}
