/* The arcs of a profile: in order, selected, added up. */
#include "report/arcs.h"

#include "base/sort.h"
#include "base/text.h"

#include <string.h>

/* Kinds are kept strings, but their order is that of their letters. */
static int by_place(const struct report_arc *a, const struct report_arc *b)
{
	const uint64_t pairs[][2] = {{a->function, b->function},
				     {a->caller_module, b->caller_module},
				     {a->caller, b->caller},
				     {a->site, b->site}};

	for (size_t i = 0; i < array_count(pairs); i++)
		if (pairs[i][0] != pairs[i][1])
			return compare_numbers(pairs[i][0], pairs[i][1]);
	return strcmp(a->kind, b->kind);
}

static int by_image(const void *left, const void *right)
{
	const struct report_arc *a = left, *b = right;

	return by_place(a, b) ?: compare_numbers(a->image, b->image);
}

/* Adds up neighbours that are the same; returns how many are left. */
static size_t add_up(struct report_arc *rows, size_t count, bool images)
{
	size_t kept = 0;

	for (size_t i = 1; i < count; i++) {
		if (by_place(&rows[kept], &rows[i]) ||
		    (images && rows[kept].image != rows[i].image))
			rows[++kept] = rows[i];
		else
			rows[kept].count += rows[i].count;
	}
	return count ? kept + 1 : 0;
}

void report_arcs_finish(struct report_profile *profile)
{
	if (!profile->arcs.count)
		return;
	sort_groups(profile->arcs.items, profile->arcs.count,
		    sizeof(*profile->arcs.items), profile->functions.count, by_image);
	profile->arcs.count = add_up(profile->arcs.items, profile->arcs.count, true);
}

const char *report_arc_caller(const struct report_profile *profile,
			      const struct report_arc *arc)
{
	return arc->caller == REPORT_UNKNOWN ? "?"
					     : profile->functions.items[arc->caller].name;
}

static bool is_selected(const struct report_profile *profile,
			const struct report_arc_filter *filter,
			const struct report_arc *arc)
{
	const struct report_function *function = &profile->functions.items[arc->function];

	return profile->images.items[arc->image].selected &&
	       profile->modules.items[function->module].selected &&
	       (!filter->callers_of || text_glob(filter->callers_of, function->name)) &&
	       (!filter->callees_of ||
		text_glob(filter->callees_of, report_arc_caller(profile, arc)));
}

static int compare_arcs(const void *left, const void *right, void *context)
{
	const struct report_order *order = context;
	const struct report_arc *a = left, *b = right;

	return report_order_wanted(order, a->function, b->function)
		       ?: compare_numbers(b->count, a->count)
		       ?: report_order_names(order, a->function, b->function)
		       ?: by_place(a, b);
}

struct report_arc *report_profile_arcs(const struct report_profile *profile,
				       const struct report_arc_filter *filter,
				       enum report_sort sort, bool sites,
				       size_t *ret_count)
{
	struct report_arc *rows =
		memory_allocate_zeroed(profile->arcs.count, sizeof(*rows));
	struct report_order order = {profile, sort};
	size_t count = 0;

	vector_for_each (&profile->arcs, arc) {
		if (!is_selected(profile, filter, arc))
			continue;
		rows[count] = *arc;
		rows[count].image = 0;
		if (!sites) {
			rows[count].site = 0;
			rows[count].kind = "";
		}
		count++;
	}
	sort_groups(rows, count, sizeof(*rows), profile->functions.count, by_image);
	count = add_up(rows, count, false);
	qsort_r(rows, count, sizeof(*rows), compare_arcs, &order);
	*ret_count = count;
	return rows;
}
