/* The edges of a profile: in order, selected, added up. */
#include "report/edges.h"

#include "base/sort.h"
#include <string.h>

/* Kinds are kept strings: the same text has the same address. */
static int by_way(const struct report_edge *a, const struct report_edge *b)
{
	int result = compare_numbers(a->function, b->function)
			     ?: compare_numbers(a->from, b->from)
			     ?: compare_numbers(a->to, b->to);

	return result || a->kind == b->kind ? result : strcmp(a->kind, b->kind);
}

static int by_place(const void *left, const void *right)
{
	const struct report_edge *a = left, *b = right;

	return by_way(a, b) ?: compare_numbers(a->image, b->image);
}

static void add_edge(struct report_edge *sum, const struct report_edge *edge)
{
	sum->count += edge->count;
	sum->open |= edge->open;
}

void report_edges_add_up(struct report_profile *profile)
{
	struct report_edge *items = profile->edges.items;
	size_t kept = 0;

	if (!profile->edges.count)
		return;
	sort_groups(items, profile->edges.count, sizeof(*items), profile->functions.count,
		    by_place);
	for (size_t i = 1; i < profile->edges.count; i++) {
		if (by_place(&items[kept], &items[i]))
			items[++kept] = items[i];
		else
			add_edge(&items[kept], &items[i]);
	}
	profile->edges.count = kept + 1;
}

void report_edges_finish(struct report_profile *profile)
{
	const struct report_edge *items = profile->edges.items;

	report_edges_add_up(profile);
	for (uint32_t i = 0; i < profile->edges.count; i++) {
		struct report_function *function =
			&profile->functions.items[items[i].function];

		if (!function->edge_count++)
			function->first_edge = i;
	}
}

static bool is_of(const struct report_profile *profile, uint32_t function, uint32_t image)
{
	uint32_t module = profile->functions.items[function].module;

	return profile->images.items[image].selected &&
	       profile->modules.items[module].selected;
}

void report_edges_select(struct report_profile *profile)
{
	const struct report_edge *last = NULL;

	profile->passed_edges = profile->faulty = 0;
	vector_for_each (&profile->edges, edge) {
		if (!edge->count || !is_of(profile, edge->function, edge->image))
			continue;
		profile->passed_edges += !last || by_way(last, edge);
		last = edge;
	}
	vector_for_each (&profile->faults, fault)
		profile->faulty += is_of(profile, fault->function, fault->image);
}

/* Adds the selected ones of profile.edges from `first` on up to `end` to `rows`; if
 * `passed` is set, only those that were. */
static size_t add_up(const struct report_profile *profile, size_t first, size_t end,
		     bool passed, struct report_edge *rows)
{
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		const struct report_edge *edge = &profile->edges.items[i];

		if ((passed && !edge->count) ||
		    !is_of(profile, edge->function, edge->image))
			continue;
		if (count && !by_way(&rows[count - 1], edge))
			add_edge(&rows[count - 1], edge);
		else
			rows[count++] = *edge;
	}
	return count;
}

struct report_edge *report_function_edges(const struct report_profile *profile,
					  const struct report_function *function,
					  size_t *ret_count)
{
	struct report_edge *rows =
		memory_allocate_zeroed((size_t)function->edge_count + 1, sizeof(*rows));
	size_t end = (size_t)function->first_edge + function->edge_count;

	*ret_count = add_up(profile, function->first_edge, end, false, rows);
	return rows;
}

static int compare_edges(const void *left, const void *right, void *context)
{
	const struct report_order *order = context;
	const struct report_edge *a = left, *b = right;

	return report_order_wanted(order, a->function, b->function)
		       ?: compare_numbers(b->count, a->count)
		       ?: report_order_modules(order, a->function, b->function)
		       ?: report_order_names(order, a->function, b->function)
		       ?: by_place(a, b);
}

struct report_edge *report_profile_edges(const struct report_profile *profile,
					 enum report_sort sort)
{
	struct report_edge *rows =
		memory_allocate_zeroed(profile->passed_edges + 1, sizeof(*rows));
	struct report_order order = {profile, sort};
	size_t count = add_up(profile, 0, profile->edges.count, true, rows);

	qsort_r(rows, count, sizeof(*rows), compare_edges, &order);
	return rows;
}
