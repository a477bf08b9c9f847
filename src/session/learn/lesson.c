#include "session/learn/lesson.h"

#include "base/cleanup.h"
#include "code/plan/plan_rows.h"

#include <stdlib.h>

enum { PAGE = 4096 };

void lesson_begin(struct lesson *lesson, const struct module_file *file)
{
	*lesson = (struct lesson){.file = file,
				  .sums = memory_allocate_zeroed(
					  file->plan->functions.count, sizeof(uint64_t))};
}

static void take_calls(struct lesson *lessons, const struct image_arcs *arcs)
{
	vector_for_each (arcs, arc) {
		struct lesson *lesson = &lessons[arc->file];

		if (lesson->file)
			lesson->sums[arc->function] += arc->count;
	}
}

void lessons_take(struct lesson *lessons, const struct image_run *image)
{
	vector_for_each (&image->counts, row) {
		struct lesson *lesson = &lessons[row->file];
		size_t count = lesson->counts.count;

		if (!lesson->file)
			continue;
		lesson->unsorted |=
			count && lesson->counts.items[count - 1].slot >= row->slot;
		vector_push(&lesson->counts,
			    ((struct lesson_count){row->slot, row->count}));
	}
	take_calls(lessons, &image->arcs);
	take_calls(lessons, &image->graph.calls);
}

static int by_slot(const void *a, const void *b)
{
	const struct lesson_count *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* One row for each slot, in order. */
static void sort(struct lesson *lesson)
{
	struct lesson_count *counts = lesson->counts.items;
	size_t kept = 0;

	if (!lesson->unsorted)
		return;
	qsort(counts, lesson->counts.count, sizeof(*counts), by_slot);
	for (size_t i = 1; i < lesson->counts.count; i++) {
		if (counts[i].slot == counts[kept].slot)
			counts[kept].count += counts[i].count;
		else
			counts[++kept] = counts[i];
	}
	lesson->counts.count = kept + 1;
}

void lesson_end(struct lesson *lesson)
{
	const struct plan *plan = lesson->file->plan;
	const struct plan_function *functions = plan->functions.items, *function = NULL;

	sort(lesson);
	lesson->counters = memory_allocate_zeroed(plan->slot_count, sizeof(uint64_t));
	vector_for_each (&lesson->counts, row) {
		uint32_t arc = row->slot - plan->arc_slot;

		lesson->counters[row->slot] = row->count;
		if (arc < plan->arcs.count) {
			lesson->sums[plan->arcs.items[arc].callee] += row->count;
			continue;
		}
		function = plan_function_of_next_slot(plan, function, row->slot);
		if (function)
			lesson->sums[function - functions] += row->count;
	}
	for (size_t i = 0; i < plan->functions.count; i++)
		lesson->sum += lesson->sums[i];
}

static void learn_function(const struct lesson *lesson,
			   const struct plan_function *function,
			   struct frequencies *frequencies)
{
	struct edges_counts counts = {0};
	uint32_t fault;

	if (function->edge_count) {
		if (edges_solve(lesson->file->plan, function, lesson->counters, NULL,
				&counts, &fault)) {
			frequencies_add(frequencies, function, &counts);
			edges_counts_deinit(&counts);
			return;
		}
		counts = (struct edges_counts){0};
	} else if (function->block_count) {
		counts.blocks =
			plan_block_counts(lesson->file->plan, function, lesson->counters);
	}
	frequencies_add(frequencies, function, &counts);
	free(counts.blocks);
}

uint64_t lesson_learn(const struct lesson *lesson, uint64_t least,
		      struct frequencies *frequencies)
{
	const struct plan *plan = lesson->file->plan;
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		if (lesson->sums[i] <= least)
			continue;
		learn_function(lesson, &plan->functions.items[i], frequencies);
		sum += lesson->sums[i];
	}
	return sum;
}

struct lesson_spread lesson_spread(const struct lesson *lesson)
{
	const struct plan *plan = lesson->file->plan;
	struct lesson_spread spread = {0};
	uint64_t pages = 0, next = 0, apart = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = plan_by_code(plan, i);
		uint64_t start = function->trampoline,
			 end = plan_code_end(plan, function);

		if (!lesson->sums[function - plan->functions.items] || start >= end)
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

void lesson_deinit(struct lesson *lesson)
{
	vector_deinit(&lesson->counts);
	free(lesson->counters);
	free(lesson->sums);
}
