#include "derive/hot_paths.h"

#include "base/array.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(const struct report_path *a, const struct report_path *b)
{
	return compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->part, b->part)
		       ?: compare_numbers(a->number, b->number)
		       ?: strcmp(a->end, b->end)
		       ?: strcmp(a->blocks, b->blocks);
}

static int by_place(const void *left, const void *right)
{
	const struct hot_path *a = left, *b = right;

	return compare_places(a->path, b->path);
}

static int by_heat(const void *left, const void *right)
{
	const struct hot_path *a = left, *b = right;

	return compare_numbers(b->executed, a->executed)
		       ?: compare_numbers(b->count, a->count)
		       ?: compare_places(a->path, b->path);
}

static void add_rows(struct hot_paths *paths, const char *functions)
{
	const struct report_profile *profile = paths->profile;

	vector_for_each (&profile->paths, path) {
		const struct report_function *function =
			&profile->functions.items[path->function];

		if (profile->images.items[path->image].selected && path->count &&
		    walk_wants(functions, profile, function))
			vector_push(&paths->rows,
				    ((struct hot_path){
					    .path = path,
					    .function = function,
					    .count = path->count,
					    .executed = path->count * path->instructions,
				    }));
	}
}

/* Adds up what several processes, threads or intervals took. */
static void add_up(struct hot_paths *paths)
{
	size_t kept = 0;

	if (!paths->rows.count)
		return;
	qsort(paths->rows.items, paths->rows.count, sizeof(*paths->rows.items), by_place);
	for (size_t i = 1; i < paths->rows.count; i++) {
		struct hot_path *last = &paths->rows.items[kept];
		const struct hot_path *row = &paths->rows.items[i];

		if (by_place(last, row)) {
			paths->rows.items[++kept] = *row;
			continue;
		}
		last->count += row->count;
		last->executed += row->executed;
	}
	paths->rows.count = kept + 1;
}

static void count_functions(struct hot_paths *paths, const char *functions)
{
	const struct report_profile *profile = paths->profile;
	scoped_free bool *found =
		memory_allocate_zeroed(profile->functions.count + 1, sizeof(*found));

	vector_for_each (&paths->rows, row) {
		size_t number = (size_t)(row->function - profile->functions.items);

		paths->functions += !found[number];
		paths->executed += row->executed;
		found[number] = true;
	}
	for (size_t i = 0; i < profile->functions.count; i++)
		paths->without += !found[i] && walk_wants(functions, profile,
							  &profile->functions.items[i]);
}

void hot_paths_init(struct hot_paths *paths, const struct report_profile *profile,
		    const char *functions)
{
	*paths = (struct hot_paths){.profile = profile};
	add_rows(paths, functions);
	add_up(paths);
	count_functions(paths, functions);
	if (paths->rows.count)
		qsort(paths->rows.items, paths->rows.count, sizeof(*paths->rows.items),
		      by_heat);
}

void hot_paths_deinit(struct hot_paths *paths)
{
	vector_deinit(&paths->rows);
}
