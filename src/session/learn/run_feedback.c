#include "session/learn/run_feedback.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/page.h"
#include "code/plan/plan_rows.h"

#include <stdlib.h>

void run_feedback_begin(struct run_feedback *run, const struct module_file *file)
{
	*run = (struct run_feedback){
		.file = file,
		.sums = memory_allocate_zeroed(file->plan->functions.count,
					       sizeof(uint64_t))};
}

static void take_calls(struct run_feedback *runs, const struct image_arcs *arcs)
{
	vector_for_each (arcs, arc) {
		struct run_feedback *run = &runs[arc->file];

		if (run->file)
			run->sums[arc->function] += arc->count;
	}
}

void run_feedback_take(struct run_feedback *runs, const struct image_run *image)
{
	vector_for_each (&image->counts, row) {
		struct run_feedback *run = &runs[row->file];
		size_t count = run->counts.count;

		if (!run->file)
			continue;
		run->unsorted |= count && run->counts.items[count - 1].slot >= row->slot;
		vector_push(&run->counts,
			    ((struct run_feedback_count){row->slot, row->count}));
	}
	take_calls(runs, &image->arcs);
	take_calls(runs, &image->graph.calls);
}

COMPARE_BY(by_slot, struct run_feedback_count, slot);

/* One row for each slot, in order. */
static void sort_feedback(struct run_feedback *run)
{
	struct run_feedback_count *counts = run->counts.items;
	size_t kept = 0;

	if (!run->unsorted)
		return;
	qsort(counts, run->counts.count, sizeof(*counts), by_slot);
	for (size_t i = 1; i < run->counts.count; i++) {
		if (counts[i].slot == counts[kept].slot)
			counts[kept].count += counts[i].count;
		else
			counts[++kept] = counts[i];
	}
	run->counts.count = kept + 1;
}

void run_feedback_end(struct run_feedback *run)
{
	const struct plan *plan = run->file->plan;
	const struct plan_function *functions = plan->functions.items, *function = NULL;

	sort_feedback(run);
	run->counters = memory_allocate_zeroed(plan->slot_count, sizeof(uint64_t));
	vector_for_each (&run->counts, row) {
		uint32_t arc = row->slot - plan->arc_slot;

		run->counters[row->slot] = row->count;
		if (arc < plan->arcs.count) {
			run->sums[plan->arcs.items[arc].callee] += row->count;
			continue;
		}
		function = plan_function_of_slot(plan, function, row->slot);
		if (function)
			run->sums[function - functions] += row->count;
	}
	for (size_t i = 0; i < plan->functions.count; i++)
		run->sum += run->sums[i];
}

static void learn_function(const struct run_feedback *run,
			   const struct plan_function *function,
			   struct frequencies *frequencies)
{
	struct edges_counts counts = {0};
	uint32_t fault;

	if (function->edge_count) {
		if (edges_solve(run->file->plan, function, run->counters, NULL, &counts,
				&fault)) {
			frequencies_add(frequencies, function, &counts);
			edges_counts_deinit(&counts);
			return;
		}
		counts = (struct edges_counts){0};
	} else if (function->block_count) {
		counts.blocks =
			plan_block_counts(run->file->plan, function, run->counters);
	}
	frequencies_add(frequencies, function, &counts);
	free(counts.blocks);
}

uint64_t run_feedback_learn(const struct run_feedback *run, uint64_t least,
			    struct frequencies *frequencies)
{
	const struct plan *plan = run->file->plan;
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		if (run->sums[i] <= least)
			continue;
		learn_function(run, &plan->functions.items[i], frequencies);
		sum += run->sums[i];
	}
	return sum;
}

struct run_feedback_spread run_feedback_spread(const struct run_feedback *run)
{
	const struct plan *plan = run->file->plan;
	struct run_feedback_spread spread = {0};
	uint64_t pages = 0, next = 0, apart = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = plan_by_code(plan, i);
		uint64_t start = function->trampoline,
			 end = plan_code_end(plan, function);

		if (!run->sums[function - plan->functions.items] || start >= end)
			continue;
		spread.code += end - start;
		if (function->in_front)
			continue;
		apart += end - start;
		if (next < start / PAGE)
			next = start / PAGE;
		pages += (end + PAGE - 1) / PAGE - next;
		next = (end + PAGE - 1) / PAGE;
	}
	spread.lost = pages * PAGE - apart;
	return spread;
}

void run_feedback_deinit(struct run_feedback *run)
{
	vector_deinit(&run->counts);
	free(run->counters);
	free(run->sums);
}
