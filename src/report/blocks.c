/* The basic blocks of a profile: in order, selected, added up. */
#include "report/blocks.h"

#include "base/sort.h"
#include <string.h>

static int by_place(const void *left, const void *right)
{
	const struct report_block *a = left, *b = right;

	return compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->address, b->address)
		       ?: compare_numbers(a->image, b->image);
}

static bool is_same(const struct report_block *a, const struct report_block *b)
{
	return a->function == b->function && a->address == b->address;
}

static void add_block(struct report_block *sum, const struct report_block *block)
{
	sum->count += block->count;
	sum->stayed = (int64_t)((uint64_t)sum->stayed + (uint64_t)block->stayed);
}

void report_blocks_add_up(struct report_profile *profile)
{
	struct report_block *items = profile->blocks.items;
	size_t kept = 0;

	if (!profile->blocks.count)
		return;
	sort_groups(items, profile->blocks.count, sizeof(*items),
		    profile->functions.count, by_place);
	for (size_t i = 1; i < profile->blocks.count; i++) {
		if (by_place(&items[kept], &items[i]))
			items[++kept] = items[i];
		else
			add_block(&items[kept], &items[i]);
	}
	profile->blocks.count = kept + 1;
}

void report_blocks_finish(struct report_profile *profile)
{
	const struct report_block *items = profile->blocks.items;

	report_blocks_add_up(profile);
	/* A flag that is set in several intervals is one. */
	vector_for_each (&profile->blocks, block)
		if (profile->coverage && block->count)
			block->count = 1;
	for (uint32_t i = 0; i < profile->blocks.count; i++) {
		struct report_function *function =
			&profile->functions.items[items[i].function];

		if (!function->block_count++)
			function->first_block = i;
	}
}

bool report_block_is_selected(const struct report_profile *profile,
			      const struct report_block *block)
{
	uint32_t module = profile->functions.items[block->function].module;

	/* A child goes on in blocks that it did not enter. */
	return (block->count || block->stayed) &&
	       profile->images.items[block->image].selected &&
	       profile->modules.items[module].selected;
}

/* A function can run without a call: in the child of a fork that it made, and where
 * something jumps into it. */
static void set_executed(struct report_profile *profile, struct report_function *function)
{
	struct report_module *module = &profile->modules.items[function->module];

	module->functions += !function->executed;
	module->loaded = function->executed = true;
}

void report_blocks_select(struct report_profile *profile)
{
	const struct report_block *last = NULL;

	vector_for_each (&profile->blocks, block) {
		struct report_function *function =
			&profile->functions.items[block->function];
		uint64_t instructions = report_block_instructions(block);
		bool again = last && is_same(last, block);

		if (!report_block_is_selected(profile, block))
			continue;
		profile->counted += !function->blocks;
		if (!again) {
			set_executed(profile, function);
			function->blocks++;
			profile->modules.items[function->module].blocks++;
			profile->executed_blocks++;
		}
		last = block;
		profile->images.items[block->image].instructions += instructions;
		if (again && profile->coverage)
			continue;
		function->instructions += instructions;
		profile->modules.items[function->module].instructions += instructions;
		profile->instructions += instructions;
	}
}

/* Adds the selected ones of profile.blocks from `first` on up to `end` to `rows`. With
 * coverage what several images executed was executed, as functions are. */
static size_t add_up(const struct report_profile *profile, size_t first, size_t end,
		     struct report_block *rows)
{
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		const struct report_block *block = &profile->blocks.items[i];

		if (!report_block_is_selected(profile, block))
			continue;
		if (!count || !is_same(&rows[count - 1], block))
			rows[count++] = *block;
		else if (!profile->coverage)
			add_block(&rows[count - 1], block);
	}
	return count;
}

static int compare_blocks(const void *left, const void *right, void *context)
{
	const struct report_order *order = context;
	const struct report_block *a = left, *b = right;
	int counts = compare_numbers(b->count, a->count), result = 0;

	if (order->sort == REPORT_SORT_CALLS)
		result = counts;
	else if (order->sort == REPORT_SORT_INSTRUCTIONS)
		result = compare_numbers(report_block_instructions(b),
					 report_block_instructions(a));
	else if (order->sort == REPORT_SORT_NAME)
		result = report_order_names(order, a->function, b->function);
	result = result ?: report_order_modules(order, a->function, b->function);
	if (order->sort == REPORT_SORT_MODULE)
		result = result ?: counts;
	return result ?: report_order_names(order, a->function, b->function)
		       ?: by_place(a, b);
}

struct report_block *report_profile_blocks(const struct report_profile *profile,
					   enum report_sort sort)
{
	struct report_block *rows =
		memory_allocate_zeroed(profile->executed_blocks, sizeof(*rows));
	struct report_order order = {profile, sort};
	size_t count = add_up(profile, 0, profile->blocks.count, rows);

	qsort_r(rows, count, sizeof(*rows), compare_blocks, &order);
	return rows;
}

struct report_block *report_function_blocks(const struct report_profile *profile,
					    const struct report_function *function,
					    size_t *ret_count)
{
	struct report_block *rows =
		memory_allocate_zeroed(function->blocks, sizeof(*rows));
	size_t end = (size_t)function->first_block + function->block_count;

	*ret_count = add_up(profile, function->first_block, end, rows);
	return rows;
}
