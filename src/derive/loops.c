#include "derive/loops.h"

#include "annotate/trips.h"
#include "base/array.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_loops(void *context, const struct annotation *annotation,
		      const struct routes *routes)
{
	struct loop_list *list = context;
	const struct annotation_block *blocks = annotation->blocks.items;
	struct trips trips;

	if (!routes) {
		list->without += !annotation->part;
		return;
	}
	trips_init(&trips, annotation, routes);
	list->irregular += trips.irregular;
	vector_for_each (&trips.loops, trip) {
		struct loop_row row = {
			.function = annotation->function,
			.header = blocks[trip->header].address,
			.depth = trip->depth,
			.blocks = trip->blocks,
			.known = trip->known,
			.entries = trip->entries,
			.iterations = trip->iterations,
			.instructions = trip->instructions,
		};

		if (!trip->iterations)
			continue;
		if (trip->parent != TRIP_NONE)
			row.parent =
				blocks[trips.loops.items[trip->parent].header].address;
		vector_push(&list->rows, row);
	}
	trips_deinit(&trips);
}

static double trips_of(const struct loop_row *row)
{
	return row->known && row->entries ? (double)row->iterations / (double)row->entries
					  : 0;
}

static int compare_loops(const void *left, const void *right, void *context)
{
	const enum loops_sort *sort = context;
	const struct loop_row *a = left, *b = right;
	int result = 0;

	if (*sort == LOOPS_SORT_INSTRUCTIONS)
		result = compare_numbers(b->instructions, a->instructions);
	else if (*sort == LOOPS_SORT_ITERATIONS)
		result = compare_numbers(b->iterations, a->iterations);
	else if (*sort == LOOPS_SORT_TRIPS)
		result = compare_numbers(trips_of(b), trips_of(a));
	return result ?: strcmp(a->function->name, b->function->name)
		       ?: compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->header, b->header);
}

void loop_list_init(struct loop_list *list, const struct report_profile *profile,
		    const char *functions, enum loops_sort sort)
{
	struct walk walk = {
		.profile = profile,
		.functions = functions,
		.visit = add_loops,
		.context = list,
	};

	*list = (struct loop_list){.profile = profile};
	walk_functions(&walk);
	list->troubles = walk.troubles;
	list->uncounted = walk.uncounted;
	if (list->rows.count)
		qsort_r(list->rows.items, list->rows.count, sizeof(*list->rows.items),
			compare_loops, &sort);
}

void loop_list_deinit(struct loop_list *list)
{
	vector_deinit(&list->rows);
	walk_troubles_deinit(&list->troubles);
}

/* "1,234.5"; 0: not known. */
static void add_trips(struct grid *grid, double trips)
{
	const uint64_t tenths = (uint64_t)(trips * 10 + 0.5);
	struct text text = {0};

	text_add_grouped(&text, tenths / 10);
	text_format(&text, ".%" PRIu64, tenths % 10);
	grid_add_text(grid, trips > 0 ? text.data : "?");
	text_deinit(&text);
}

static void add_row(struct grid *grid, const struct loop_row *row)
{
	char cell[32];

	if (row->known)
		grid_add_number(grid, row->entries);
	else
		grid_add_text(grid, "?");
	grid_add_number(grid, row->iterations);
	add_trips(grid, trips_of(row));
	grid_add_number(grid, row->instructions);
	grid_add_share(grid, row->instructions, row->function->instructions);
	grid_add_number(grid, row->depth);
	snprintf(cell, sizeof(cell), "0x%" PRIx64, row->header);
	grid_add_text(grid, cell);
	grid_add_text(grid, row->function->name);
}

static void add_lacks(const struct loop_list *list, struct text *out)
{
	if (list->without || list->uncounted || list->irregular || list->troubles.count)
		text_add(out, "\n");
	walk_uncounted_text(list->uncounted, out);
	if (list->without) {
		report_add_count(out, list->without, "function", "functions");
		text_add(out, " without a graph, and left out\n");
	}
	if (list->irregular) {
		text_add(out, "Cycles with several entries, which are not loops: ");
		text_add_grouped(out, list->irregular);
		text_add(out, "\n");
	}
	walk_troubles_text(&list->troubles, out);
}

void loop_list_text(const struct loop_list *list, const struct walk_options *options,
		    struct text *out)
{
	struct grid grid = {0};

	report_add_count(out, list->rows.count, "loop", "loops");
	text_add(out, " executed\n\n");
	grid_add_column(&grid, "Entries", true);
	grid_add_column(&grid, "Iterations", true);
	grid_add_column(&grid, "Trips", true);
	grid_add_column(&grid, "Instructions", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Depth", true);
	grid_add_column(&grid, "Address", true);
	grid_add_column(&grid, "Function", false);
	for (size_t i = 0; i < list->rows.count && i < options->limit; i++)
		add_row(&grid, &list->rows.items[i]);
	grid_print(&grid, &(struct text_style){options->colour, options->width}, out);
	grid_deinit(&grid);
	if (list->rows.count > options->limit)
		report_add_more(out, list->rows.count - options->limit, "loop", "loops");
	add_lacks(list, out);
}

void loop_list_json(const struct loop_list *list, struct text *out)
{
	const struct report_module *modules = list->profile->modules.items;

	text_add(out, "{");
	json_add_number(out, "functions.uncounted", list->uncounted);
	json_add_number(out, "functions.without.graph", list->without);
	json_add_number(out, "irregular", list->irregular);
	json_begin_list(out, "rows");
	vector_for_each (&list->rows, row) {
		json_begin_item(out);
		json_add_place(out, modules[row->function->module].path, row->function);
		json_add_address(out, "header", row->header);
		if (row->parent)
			json_add_address(out, "parent", row->parent);
		json_add_number(out, "depth", row->depth);
		json_add_number(out, "blocks", row->blocks);
		if (row->known)
			json_add_number(out, "entries", row->entries);
		json_add_number(out, "iterations", row->iterations);
		json_add_number(out, "instructions", row->instructions);
		text_add(out, "}");
	}
	text_add(out, "]");
	walk_troubles_json(&list->troubles, out);
	text_add(out, "}\n");
}
