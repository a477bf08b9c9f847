#include "coverage/show.h"

#include "base/array.h"
#include "coverage/coverage.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct view {
	const struct coverage *coverage;
	const struct coverage_options *options;
	struct text_style style;
	struct text *out;
};

/* Prints the grid, frees it, and says how many rows are not there. */
static void finish_grid(const struct view *view, struct grid *grid, size_t rows,
			const char *one, const char *many)
{
	size_t limit = view->options->limit;

	text_add(view->out, "\n");
	grid_print(grid, &view->style, view->out);
	grid_deinit(grid);
	if (rows > limit)
		report_add_more(view->out, rows - limit, one, many);
}

static void add_share_columns(struct grid *grid)
{
	grid_add_column(grid, "Executed", true);
	grid_add_column(grid, "Known", true);
	grid_add_column(grid, "Part", true);
}

static void add_shares(struct grid *grid, uint64_t executed, uint64_t known)
{
	grid_add_number(grid, executed);
	grid_add_number(grid, known);
	grid_add_share(grid, executed, known);
}

static void add_modules(const struct view *view)
{
	const struct coverage *coverage = view->coverage;
	struct grid grid = {0};
	size_t count = 0;

	add_share_columns(&grid);
	if (coverage->profile->blocks.count)
		grid_add_column(&grid, "Blocks", true);
	grid_add_column(&grid, "Module", false);
	vector_for_each (&coverage->modules, row) {
		const struct report_module *module = row->module;

		if (count++ >= view->options->limit)
			continue;
		add_shares(&grid, module->functions, module->known);
		if (coverage->profile->blocks.count)
			grid_add_number(&grid, module->blocks);
		grid_add_text(&grid, module->ambiguous ? module->path : module->name);
	}
	finish_grid(view, &grid, count, "module", "modules");
}

/* Most executed functions first; equal ones stay in the order of their paths. */
static int compare_files(const void *left, const void *right)
{
	const struct coverage_file *a = *(const struct coverage_file *const *)left;
	const struct coverage_file *b = *(const struct coverage_file *const *)right;

	return compare_numbers(b->executed, a->executed) ?: compare_numbers(a, b);
}

static bool file_wanted(const struct view *view, const struct coverage_file *file)
{
	return !view->options->missed || file->executed < file->functions ||
	       file->executed_lines < file->lines;
}

static void add_file_shares(struct grid *grid, uint64_t executed, uint64_t known,
			    bool complete)
{
	if (complete) {
		add_shares(grid, executed, known);
		return;
	}
	/* What else is in the file is not known. */
	grid_add_number(grid, executed);
	grid_add_text(grid, "?");
	grid_add_text(grid, "");
}

static void add_files(const struct view *view)
{
	struct VECTOR(const struct coverage_file *) files = {0};
	bool lines = view->coverage->profile->blocks.count > 0;
	struct grid grid = {0};

	vector_for_each (&view->coverage->files, file)
		if (file_wanted(view, file))
			vector_push(&files, file);
	if (!files.count)
		return;
	qsort(files.items, files.count, sizeof(*files.items), compare_files);
	add_share_columns(&grid);
	if (lines) {
		grid_add_column(&grid, "Lines", true);
		grid_add_column(&grid, "Known", true);
		grid_add_column(&grid, "Part", true);
	}
	grid_add_column(&grid, "Source file", false);
	for (size_t i = 0; i < files.count && i < view->options->limit; i++) {
		const struct coverage_file *file = files.items[i];

		add_file_shares(&grid, file->executed, file->functions, file->complete);
		if (lines)
			add_file_shares(&grid, file->executed_lines, file->lines,
					file->complete);
		grid_add_text(&grid, file->path);
	}
	finish_grid(view, &grid, files.count, "file", "files");
	vector_deinit(&files);
}

static void add_function(const struct view *view, struct grid *grid,
			 const struct coverage_function *function, uint64_t calls)
{
	const struct coverage *coverage = view->coverage;
	const struct report_module *module =
		coverage->modules.items[function->module].module;
	struct text place = {0};

	text_add(&place, "");
	if (function->line)
		text_format(&place, "%s:%" PRIu32,
			    coverage->files.items[function->file].path, function->line);
	grid_paint_row(grid, calls ? GRID_PLAIN : GRID_RED);
	grid_add_number(grid, calls);
	grid_add_text(grid, module->ambiguous ? module->path : module->name);
	grid_add_text(grid, coverage->names.strings[function->name]);
	grid_add_text(grid, place.data);
	text_deinit(&place);
}

static void add_functions(const struct view *view)
{
	const struct coverage *coverage = view->coverage;
	struct grid grid = {0};
	size_t count = 0;
	uint64_t calls;

	grid_add_column(&grid, coverage->profile->coverage ? "Executed" : "Calls", true);
	grid_add_column(&grid, "Module", false);
	grid_add_column(&grid, "Function", false);
	grid_add_column(&grid, "Source", false);
	for (size_t i = 0; i < coverage->functions.count;) {
		const struct coverage_function *function = &coverage->functions.items[i];

		i = coverage_same(coverage, i, &calls);
		if (view->options->missed && calls)
			continue;
		if (count++ < view->options->limit)
			add_function(view, &grid, function, calls);
	}
	if (count)
		finish_grid(view, &grid, count, "function", "functions");
	else
		grid_deinit(&grid);
}

const char *coverage_trouble_kind(const struct coverage_module *module)
{
	if (!module->has_lines)
		return "No source lines";
	return module->complete ? "Source lines in part" : "Not all functions";
}

static void add_troubles(const struct view *view)
{
	size_t count = 0, limit = view->options->limit;

	vector_for_each (&view->coverage->modules, module) {
		if (!module->trouble || count++ >= limit)
			continue;
		text_add(view->out, count == 1 ? "\n" : "");
		text_format(view->out, "%s: ", coverage_trouble_kind(module));
		report_add_visible(view->out, module->module->path);
		text_format(view->out, ": %s\n", module->trouble);
	}
	if (count > limit)
		report_add_more(view->out, count - limit, "module", "modules");
}

void coverage_text(const struct coverage *coverage,
		   const struct coverage_options *options, struct text *out)
{
	struct view view = {coverage, options, {options->colour, options->width}, out};

	report_add_head(out, coverage->profile, options->limit, &view.style);
	if (options->functions) {
		add_functions(&view);
	} else {
		add_modules(&view);
		add_files(&view);
	}
	add_troubles(&view);
	report_add_unmeasured(out, coverage->profile, options->limit);
}

static void add_json_modules(const struct coverage *coverage, struct text *out)
{
	json_begin_list(out, "modules");
	vector_for_each (&coverage->modules, row) {
		const struct report_module *module = row->module;

		json_begin_item(out);
		json_add_string(out, "module", module->name);
		json_add_string(out, "module.path", module->path);
		json_add_string(out, "buildid", module->build_id);
		json_add_number(out, "functions.known", module->known);
		json_add_number(out, "functions.executed", module->functions);
		if (coverage->profile->blocks.count)
			json_add_number(out, "blocks.executed", module->blocks);
		json_add_boolean(out, "complete", row->complete);
		json_add_string(out, "trouble", row->trouble ? row->trouble : "");
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_json_files(const struct coverage *coverage, struct text *out)
{
	json_begin_list(out, "files");
	vector_for_each (&coverage->files, file) {
		json_begin_item(out);
		json_add_string(out, "file", file->path);
		json_add_number(out, "functions.known", file->functions);
		json_add_number(out, "functions.executed", file->executed);
		if (coverage->profile->blocks.count) {
			json_add_number(out, "lines.known", file->lines);
			json_add_number(out, "lines.executed", file->executed_lines);
			if (coverage->profile->edges.count) {
				json_add_number(out, "branches.known", file->branches);
				json_add_number(out, "branches.taken",
						file->taken_branches);
			}
		}
		json_add_boolean(out, "complete", file->complete);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_json_functions(const struct coverage *coverage, struct text *out)
{
	json_begin_list(out, "functions");
	vector_for_each (&coverage->functions, function) {
		const struct report_module *module =
			coverage->modules.items[function->module].module;

		json_begin_item(out);
		json_add_string(out, "module", module->name);
		json_add_string(out, "module.path", module->path);
		json_add_string(out, "function", coverage->names.strings[function->name]);
		json_add_address(out, "offset", function->offset);
		if (function->line) {
			json_add_string(out, "file",
					coverage->files.items[function->file].path);
			json_add_number(out, "line", function->line);
		}
		json_add_number(out, "calls", function->calls);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_json_lines(const struct coverage *coverage, struct text *out)
{
	json_begin_list(out, "lines");
	vector_for_each (&coverage->lines, line) {
		json_begin_item(out);
		json_add_string(out, "file", coverage->files.items[line->file].path);
		json_add_number(out, "line", line->line);
		json_add_number(out, "count", line->count);
		text_add(out, "}");
	}
	text_add(out, "]");
}

void coverage_json(const struct coverage *coverage, struct text *out)
{
	text_add(out, "{\"profile\": ");
	json_add_globals(out, &coverage->profile->runs.items[0]);
	add_json_modules(coverage, out);
	add_json_files(coverage, out);
	add_json_functions(coverage, out);
	if (coverage->profile->blocks.count)
		add_json_lines(coverage, out);
	text_add(out, "}\n");
}
