#include "derive/hot_paths.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "derive/path_graph.h"

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

COMPARE_BY(by_functions, struct hot_paths_bar, functions);

static void add_bar(struct hot_paths *paths, const char *reason)
{
	vector_for_each (&paths->bars, bar)
		if (!strcmp(bar->reason, reason)) {
			bar->functions++;
			return;
		}
	vector_push(&paths->bars, ((struct hot_paths_bar){reason, 1}));
}

/* Why the functions that are not marked have no paths. */
static void count_bars(struct hot_paths *paths, const char *functions, bool *found)
{
	const struct report_profile *profile = paths->profile;

	vector_for_each (&profile->path_bars, bar) {
		const struct report_function *function =
			&profile->functions.items[bar->function];

		if (found[bar->function] || bar->part != function->offset ||
		    !walk_wants(functions, profile, function))
			continue;
		found[bar->function] = true;
		paths->without++;
		add_bar(paths, bar->reason);
	}
	for (size_t i = 0; i < profile->functions.count; i++)
		if (!found[i] &&
		    walk_wants(functions, profile, &profile->functions.items[i])) {
			paths->without++;
			add_bar(paths, "no path of it came to its end");
		}
	if (paths->bars.count)
		qsort(paths->bars.items, paths->bars.count, sizeof(*paths->bars.items),
		      by_functions);
	for (size_t i = 0; i < paths->bars.count / 2; i++) {
		struct hot_paths_bar other = paths->bars.items[i];

		paths->bars.items[i] = paths->bars.items[paths->bars.count - 1 - i];
		paths->bars.items[paths->bars.count - 1 - i] = other;
	}
}

/* Functions with a cut edge; a part counts for its function, once. */
static void count_split(struct hot_paths *paths, const char *functions)
{
	const struct report_profile *profile = paths->profile;
	scoped_free bool *found =
		memory_allocate_zeroed(profile->functions.count + 1, sizeof(*found));

	vector_for_each (&profile->path_graphs, graph) {
		if (found[graph->function] || !strchr(graph->steps, '/') ||
		    !walk_wants(functions, profile,
				&profile->functions.items[graph->function]))
			continue;
		found[graph->function] = true;
		paths->split++;
	}
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
		paths->left += strcmp(row->path->end, "call") ? 0 : row->count;
		found[number] = true;
	}
	count_bars(paths, functions, found);
	count_split(paths, functions);
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
	vector_for_each (&paths->made, path)
		free(*path);
	vector_for_each (&paths->texts, text)
		free(*text);
	vector_deinit(&paths->made);
	vector_deinit(&paths->texts);
	vector_deinit(&paths->bars);
	vector_deinit(&paths->rows);
}

/* Adds the path of a function that never took it. */
static void make_path(struct hot_paths *paths, const struct report_path_graph *row,
		      uint64_t number)
{
	struct path_graph graph;
	struct text blocks = {0};
	struct report_path *path;
	const char *end = NULL;

	if (path_graph_init(&graph, row))
		end = path_graph_walk(&graph, number, &blocks);
	path_graph_deinit(&graph);
	if (!end || !blocks.data) {
		text_deinit(&blocks);
		return;
	}
	path = memory_allocate_zeroed(1, sizeof(*path));
	*path = (struct report_path){.function = row->function,
				     .part = row->part,
				     .number = number,
				     .of = row->of,
				     .blocks = blocks.data,
				     .end = end};
	vector_push(&paths->made, path);
	vector_push(&paths->texts, blocks.data);
	vector_push(
		&paths->rows,
		((struct hot_path){
			.path = path,
			.function = &paths->profile->functions.items[row->function]}));
}

static bool has_path(const struct hot_paths *paths, const struct report_path_graph *graph)
{
	vector_for_each (&paths->rows, row)
		if (row->path->function == graph->function &&
		    row->path->part == graph->part && strcmp(row->path->end, "call") != 0)
			return true;
	return false;
}

bool hot_paths_choose(struct hot_paths *paths, const char *functions, uint64_t number)
{
	const struct report_profile *profile = paths->profile;
	size_t kept = 0;

	for (size_t i = 0; i < paths->rows.count; i++)
		if (paths->rows.items[i].path->number == number)
			paths->rows.items[kept++] = paths->rows.items[i];
	paths->rows.count = kept;
	vector_for_each (&profile->path_graphs, graph)
		if (walk_wants(functions, profile,
			       &profile->functions.items[graph->function]) &&
		    !has_path(paths, graph))
			make_path(paths, graph, number);
	return paths->rows.count;
}
