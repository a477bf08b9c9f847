#include "session/profile/corrected.h"

#include "code/plan/plan_rows.h"

/* What residues make of the counter of a block, and of how often it was left. */
static struct corrected sum_residues(const struct plan *plan,
				     const struct plan_function *function,
				     uint32_t number,
				     const struct edges_residues *residues)
{
	struct corrected sum = {0};
	uint32_t found;
	bool counted;

	vector_for_each (residues, residue) {
		if (!edges_find_residue(plan, function, residue, &found, &counted) ||
		    found != number)
			continue;
		sum.stayed += residue->by;
		/* In front of the counter it was on the other side. */
		sum.count += counted ? 0 : (uint64_t)(int64_t)residue->by;
	}
	return sum;
}

static uint64_t add_clamped(uint64_t counter, uint64_t by)
{
	int64_t sum = (int64_t)(counter + by);

	return sum < 0 ? 0 : (uint64_t)sum;
}

uint64_t *corrected_flags(const struct plan *plan, const struct plan_function *function,
			  const uint64_t *counters, const struct edges_residues *residues)
{
	struct plan_stayed stayed = {0};
	uint64_t *flags;
	uint32_t found;
	bool counted;

	vector_for_each (residues, residue)
		if (residue->by > 0 &&
		    edges_find_residue(plan, function, residue, &found, &counted))
			vector_push(&stayed, function->first_block + found);
	flags = plan_flag_counts(plan, function, counters, &stayed);
	vector_deinit(&stayed);
	return flags;
}

struct corrected corrected_block(const struct plan *plan,
				 const struct plan_function *function, uint32_t number,
				 const uint64_t *counters,
				 const struct edges_residues *residues)
{
	const struct plan_block *block =
		&plan->blocks.items[function->first_block + number];
	struct corrected block_count = {plan_block_count(plan, block, counters), 0};
	struct corrected sum;

	if (!residues || !residues->count)
		return block_count;
	sum = sum_residues(plan, function, number, residues);
	block_count.count = add_clamped(block_count.count, sum.count);
	block_count.stayed = sum.stayed;
	return block_count;
}

uint64_t corrected_calls(const struct plan *plan, const struct plan_function *function,
			 const uint64_t *counters, const struct edges_residues *residues)
{
	uint64_t counter = counters[function->slot];

	/* The counter may be that of the first block. */
	if (!residues || !function->block_count || plan->slot_size == 1 ||
	    plan->blocks.items[function->first_block].slot != function->slot)
		return counter;
	return add_clamped(counter, sum_residues(plan, function, 0, residues).count);
}
