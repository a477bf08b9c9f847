/* What `trammel top` shows: rows of a profile, and how fast they grow. */
#include "cli/top/view.h"

#include "base/error.h"
#include "report/load.h"
#include "report/samples.h"
#include "report/select.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BOLD    "\033[1m"
#define REVERSE "\033[7m"
#define PLAIN   "\033[0m"

const char *const top_by_names[] = {"function", "module", "process", "thread", NULL};
const char *const top_sort_names[] = {"rate", "calls", "name", NULL};

/* `number` tells rows apart that have the same names. */
static void add_row(struct top_view *view, struct top_row row, uint64_t number)
{
	/* The state of a process changes. */
	const char *place = view->by == TOP_BY_FUNCTION ? row.place : "";
	const uint64_t parts[] = {view->by, hash_bytes(place, strlen(place)),
				  hash_bytes(row.name, strlen(row.name)), number,
				  row.thread};
	uint64_t before = 0;

	row.key = hash_bytes(parts, sizeof(parts));
	table_find(&view->before, row.key, &before);
	if (view->seconds > 0 && row.total > before)
		row.rate = (double)(row.total - before) / view->seconds;
	vector_push(&view->rows, row);
}

/* What rows are sorted and shown by. */
static uint64_t total_of(const struct top_view *view, uint64_t calls, uint64_t samples)
{
	return view->samples ? samples : calls;
}

static const char *name_of(const struct report_module *module)
{
	return module->ambiguous ? module->path : module->name;
}

static void add_functions(struct top_view *view)
{
	const struct report_module *modules = view->profile->modules.items;

	vector_for_each (&view->profile->functions, function)
		if (function->executed)
			add_row(view,
				(struct top_row){
					.place = name_of(&modules[function->module]),
					.name = function->name,
					.total = total_of(view, function->calls,
							  function->samples)},
				function->offset);
}

static void add_modules(struct top_view *view)
{
	vector_for_each (&view->profile->modules, module)
		if (total_of(view, module->calls, module->samples))
			add_row(view,
				(struct top_row){.place = "",
						 .name = name_of(module),
						 .total = total_of(view, module->calls,
								   module->samples)},
				0);
}

static void add_processes(struct top_view *view)
{
	vector_for_each (&view->profile->images, image)
		add_row(view,
			(struct top_row){
				.place = image->state,
				.name = image->program,
				.process = image->process,
				.total = total_of(view, image->calls, image->samples)},
			image->number);
}

static void add_threads(struct top_view *view)
{
	vector_for_each (&view->profile->threads, thread) {
		const struct report_image *image =
			&view->profile->images.items[thread->image];

		add_row(view,
			(struct top_row){
				.place = "",
				.name = image->program,
				.process = image->process,
				.thread = thread->number,
				.total = total_of(view, thread->calls, thread->samples)},
			image->number);
	}
}

static void (*const adders[TOP_BY_COUNT])(struct top_view *view) = {
	[TOP_BY_FUNCTION] = add_functions,
	[TOP_BY_MODULE] = add_modules,
	[TOP_BY_PROCESS] = add_processes,
	[TOP_BY_THREAD] = add_threads,
};

static int compare_names(const struct top_row *a, const struct top_row *b)
{
	int names = strcmp(a->name, b->name);

	return names ? names : strcmp(a->place, b->place);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct top_row *a = left, *b = right;
	const struct top_view *view = context;
	int result = 0;

	if (view->sort == TOP_SORT_RATE)
		result = (a->rate < b->rate) - (a->rate > b->rate);
	if (!result && view->sort != TOP_SORT_NAME)
		result = (a->total < b->total) - (a->total > b->total);
	return result ? result : compare_names(a, b);
}

void top_view_arrange(struct top_view *view)
{
	view->rows.count = 0;
	if (!view->profile)
		return;
	adders[view->by](view);
	if (view->rows.count)
		qsort_r(view->rows.items, view->rows.count, sizeof(*view->rows.items),
			compare_rows, view);
}

/* What all rows of all kinds have now is what the next ones are compared with. */
static void remember_rows(struct top_view *view)
{
	enum top_by by = view->by;

	table_deinit(&view->before);
	if (!view->profile)
		return;
	for (int kind = 0; kind < TOP_BY_COUNT; kind++) {
		view->rows.count = 0;
		view->by = (enum top_by)kind;
		adders[kind](view);
		vector_for_each (&view->rows, row)
			*table_insert(&view->before, row->key, NULL) = row->total;
	}
	view->by = by;
}

void top_view_update(struct top_view *view, const char *path, uint64_t now)
{
	struct report_profile *profile;
	struct trm_error *error = report_profile_load(path, &profile);

	if (!error)
		error = report_profile_select(profile, &(struct report_filter){0});
	if (error) {
		trm_error_destroy(error);
		return;
	}
	remember_rows(view);
	view->seconds = view->last_ns ? (double)(now - view->last_ns) / 1e9 : 0;
	report_profile_destroy(view->profile);
	view->profile = profile;
	if (!view->start_ns)
		view->start_ns = now;
	view->last_ns = now;
	top_view_arrange(view);
}

/* 1234567.8 as "1,234,568". */
static void add_rate(struct text *text, double rate)
{
	text_add_grouped(text, (unsigned long long)(rate + 0.5));
}

static void add_padded(struct text *out, const struct text *cell, size_t width)
{
	text_format(out, "%*s", (int)width, cell->data ? cell->data : "");
}

/* One line without its end, cut to the width. */
static void add_line(struct text *out, const struct text *line, size_t columns,
		     const char *before, const char *behind)
{
	size_t length = line->length, shown = 0;

	/* Bytes behind the first of a character take no column. */
	for (size_t i = 0; columns && i < line->length; i++) {
		shown += ((unsigned char)line->data[i] & 0xc0) != 0x80;
		if (shown > columns) {
			length = i;
			break;
		}
	}
	text_add(out, before);
	text_add_bytes(out, line->data ? line->data : "", length);
	text_add(out, behind);
	text_add(out, "\n");
}

static uint64_t samples_of(const struct report_profile *profile)
{
	return profile->events.count ? profile->events.items[0].selected : 0;
}

static void add_head(const struct top_view *view, size_t columns, bool colour,
		     struct text *out)
{
	struct text line = {0}, totals = {0};
	uint64_t processes = 0, threads = 0;
	double rate = 0;

	vector_for_each (&view->profile->images, image) {
		processes += !strcmp(image->state, "running");
		threads += strcmp(image->state, "running") ? 0 : image->threads;
	}
	vector_for_each (&view->rows, row)
		rate += row->rate;
	text_format(&line, "trammel top: ");
	report_add_visible(&line, view->title);
	text_format(&line, "  %.1f s", (double)(view->last_ns - view->start_ns) / 1e9);
	text_format(&line, "  by %s, sorted by %s%s", top_by_names[view->by],
		    top_sort_names[view->sort], view->paused ? ", paused" : "");
	add_line(out, &line, columns, colour ? BOLD : "", colour ? PLAIN : "");
	if (view->samples)
		report_add_count(&totals, samples_of(view->profile), "sample", "samples");
	else
		report_add_count(&totals, view->profile->calls, "call", "calls");
	text_add(&totals, ", ");
	add_rate(&totals, rate);
	text_add(&totals, " a second, ");
	report_add_count(&totals, view->profile->executed, "function", "functions");
	text_add(&totals, ", ");
	report_add_count(&totals, processes, "process", "processes");
	text_add(&totals, ", ");
	report_add_count(&totals, threads, "thread", "threads");
	add_line(out, &totals, columns, "", "");
	text_deinit(&line);
	text_deinit(&totals);
}

static void add_row_line(const struct top_view *view, const struct top_row *row,
			 size_t columns, double all, struct text *out)
{
	struct text line = {0}, rate = {0}, total = {0}, share = {0};

	add_rate(&rate, row->rate);
	text_add_grouped(&total, row->total);
	if (all > 0)
		text_format(&share, "%.1f %%", row->rate / all * 100);
	add_padded(&line, &rate, 13);
	add_padded(&line, &share, 9);
	add_padded(&line, &total, 17);
	text_add(&line, "  ");
	if (view->by == TOP_BY_FUNCTION)
		text_format(&line, "%-20.20s  ", row->place);
	if (view->by == TOP_BY_PROCESS)
		text_format(&line, "%7" PRIu64 "  %-12.12s  ", row->process, row->place);
	if (view->by == TOP_BY_THREAD)
		text_format(&line, "%7" PRIu64 "  %7" PRIu64 "  ", row->process,
			    row->thread);
	report_add_visible(&line, row->name);
	add_line(out, &line, columns, "", "");
	text_deinit(&line);
	text_deinit(&rate);
	text_deinit(&total);
	text_deinit(&share);
}

void top_view_show(const struct top_view *view, size_t columns, size_t lines, bool colour,
		   struct text *out)
{
	static const char *const titles[] = {
		[TOP_BY_FUNCTION] = "Module                Function",
		[TOP_BY_MODULE] = "Module",
		[TOP_BY_PROCESS] = "Process  State         Program",
		[TOP_BY_THREAD] = "Process   Thread  Program"};
	struct text line = {0};
	double all = 0;
	size_t used = 3;

	if (!view->profile) {
		text_format(&line, "trammel top: ");
		report_add_visible(&line, view->title);
		text_add(&line, "  getting ready");
		add_line(out, &line, columns, colour ? BOLD : "", colour ? PLAIN : "");
		text_deinit(&line);
		return;
	}
	add_head(view, columns, colour, out);
	text_format(&line, "%13s%9s%17s  %s", view->samples ? "Samples/s" : "Calls/s",
		    "Share", view->samples ? "Samples" : "Calls", titles[view->by]);
	/* The bar of the titles is as wide as the screen. */
	while (colour && line.length < columns)
		text_add(&line, " ");
	add_line(out, &line, columns, colour ? REVERSE : "", colour ? PLAIN : "");
	text_deinit(&line);
	vector_for_each (&view->rows, row)
		all += row->rate;
	vector_for_each (&view->rows, row) {
		if (lines && used++ >= lines)
			break;
		add_row_line(view, row, columns, all, out);
	}
}

static void add_titles(const struct top_view *view, struct grid *grid)
{
	static const char *const names[] = {[TOP_BY_FUNCTION] = "Function",
					    [TOP_BY_MODULE] = "Module",
					    [TOP_BY_PROCESS] = "Program",
					    [TOP_BY_THREAD] = "Program"};

	grid_add_column(grid, "Seconds", true);
	grid_add_column(grid, view->samples ? "Samples/s" : "Calls/s", true);
	grid_add_column(grid, "Share", true);
	grid_add_column(grid, view->samples ? "Samples" : "Calls", true);
	if (view->by == TOP_BY_FUNCTION)
		grid_add_column(grid, "Module", false);
	if (view->by == TOP_BY_PROCESS || view->by == TOP_BY_THREAD)
		grid_add_column(grid, "Process", true);
	if (view->by == TOP_BY_PROCESS)
		grid_add_column(grid, "State", false);
	if (view->by == TOP_BY_THREAD)
		grid_add_column(grid, "Thread", true);
	grid_add_column(grid, names[view->by], false);
}

static void add_cells(const struct top_view *view, const struct top_row *row, double all,
		      struct grid *grid)
{
	struct text cell = {0};

	text_format(&cell, "%.1f", (double)(view->last_ns - view->start_ns) / 1e9);
	grid_add_text(grid, cell.data);
	cell.length = 0;
	add_rate(&cell, row->rate);
	grid_add_text(grid, cell.data);
	cell.length = 0;
	if (all > 0)
		text_format(&cell, "%.1f %%", row->rate / all * 100);
	grid_add_text(grid, cell.length ? cell.data : "");
	grid_add_number(grid, row->total);
	if (view->by == TOP_BY_FUNCTION)
		grid_add_text(grid, row->place);
	cell.length = 0;
	text_format(&cell, "%" PRIu64, row->process);
	if (view->by == TOP_BY_PROCESS || view->by == TOP_BY_THREAD)
		grid_add_text(grid, cell.data);
	if (view->by == TOP_BY_PROCESS)
		grid_add_text(grid, row->place);
	cell.length = 0;
	text_format(&cell, "%" PRIu64, row->thread);
	if (view->by == TOP_BY_THREAD)
		grid_add_text(grid, cell.data);
	grid_add_text(grid, row->name);
	text_deinit(&cell);
}

void top_view_table(const struct top_view *view, size_t limit, struct text *out)
{
	static const struct text_style style = {0};
	struct grid grid = {0};
	double all = 0;

	add_titles(view, &grid);
	vector_for_each (&view->rows, row)
		all += row->rate;
	for (size_t i = 0; i < view->rows.count && i < limit; i++)
		add_cells(view, &view->rows.items[i], all, &grid);
	grid_print(&grid, &style, out);
	grid_deinit(&grid);
}

void top_view_deinit(struct top_view *view)
{
	report_profile_destroy(view->profile);
	table_deinit(&view->before);
	vector_deinit(&view->rows);
}
