#include "report/diff/show.h"

#include "report/json/parts.h"
#include "report/runs.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <inttypes.h>
#include <string.h>

/* What rows are called, and their sums. */
static const struct {
	const char *by, *many, *column, *sums, *key;
} words[] = {
	[DIFF_BY_FUNCTION] = {"function", "functions", "Function", "Calls", "calls"},
	[DIFF_BY_MODULE] = {"module", "modules", NULL, "Calls", "calls"},
	[DIFF_BY_PROGRAM] = {"program", "programs", "Program", "Calls", "calls"},
	[DIFF_BY_BLOCK] = {"block", "blocks", "Block", "Executions", "count"},
	[DIFF_BY_EDGE] = {"edge", "edges", "Edge", "Taken", "count"},
	[DIFF_BY_ARC] = {"arc", "arcs", "Caller -> Function", "Calls", "calls"},
};

static const char *state_of(const struct diff_row *row)
{
	/* What a child of a fork goes on with, it has not called. */
	if (!row->calls[DIFF_A] && !row->instructions[DIFF_A])
		return "new";
	return row->calls[DIFF_B] || row->instructions[DIFF_B] ? "changed" : "gone";
}

static void add_distance(struct text *out, const uint64_t calls[DIFF_SIDES], bool grouped)
{
	uint64_t a = calls[DIFF_A], b = calls[DIFF_B];

	text_add(out, a > b ? "-" : grouped && a < b ? "+" : "");
	if (grouped)
		text_add_grouped(out, a < b ? b - a : a - b);
	else
		text_format(out, "%" PRIu64, a < b ? b - a : a - b);
}

/* "+12.3 %"; nothing can be said of what was not there before. */
static void add_change(struct text *out, const uint64_t calls[DIFF_SIDES])
{
	double a = (double)calls[DIFF_A], b = (double)calls[DIFF_B];

	if (calls[DIFF_A])
		text_format(out, "%+.1f %%", 100 * (b - a) / a);
}

static bool shows_instructions(const struct diff *diff,
			       const struct diff_options *options)
{
	return diff->blocks && options->by != DIFF_BY_BLOCK;
}

static void add_row(struct grid *grid, const struct diff *diff,
		    const struct diff_options *options, const struct diff_row *row)
{
	const char *state = state_of(row);
	struct text cell = {0};

	grid_paint_row(grid, !strcmp(state, "new")    ? GRID_GREEN
			     : !strcmp(state, "gone") ? GRID_RED
						      : GRID_PLAIN);
	grid_add_number(grid, row->calls[DIFF_A]);
	grid_add_number(grid, row->calls[DIFF_B]);
	add_distance(&cell, row->calls, true);
	grid_add_text(grid, cell.data);
	cell.length = 0;
	text_add(&cell, "");
	if (!strcmp(state, "changed"))
		add_change(&cell, row->calls);
	else
		text_add(&cell, state);
	grid_add_text(grid, cell.data);
	if (shows_instructions(diff, options)) {
		cell.length = 0;
		if (row->uncounted)
			text_add(&cell, "?");
		else
			add_distance(&cell, row->instructions, true);
		grid_add_text(grid, cell.data);
	}
	text_deinit(&cell);
	if (options->by != DIFF_BY_PROGRAM)
		grid_add_text(grid, row->module);
	if (options->by != DIFF_BY_MODULE)
		grid_add_text(grid, *row->name ? row->name : "(unknown)");
}

static void add_table(const struct diff *diff, const struct diff_options *options,
		      struct text *out)
{
	struct grid grid = {0};
	size_t limit = options->limit;

	grid_add_column(&grid, "A", true);
	grid_add_column(&grid, "B", true);
	grid_add_column(&grid, "Difference", true);
	grid_add_column(&grid, "Change", true);
	if (shows_instructions(diff, options))
		grid_add_column(&grid, "Instructions", true);
	if (options->by != DIFF_BY_PROGRAM)
		grid_add_column(&grid, "Module", false);
	if (words[options->by].column)
		grid_add_column(&grid, words[options->by].column, false);
	for (size_t i = 0; i < diff->rows.count && i < limit; i++)
		add_row(&grid, diff, options, &diff->rows.items[i]);
	text_add(out, "\n");
	grid_print(&grid, &(struct text_style){options->colour, options->width}, out);
	grid_deinit(&grid);
	if (diff->rows.count > limit)
		report_add_more(out, diff->rows.count - limit, words[options->by].by,
				words[options->by].many);
}

/* "A  old.trm: make -j4 (and 2 more runs)" */
static void add_side(struct text *out, const char *side, const char *file,
		     const struct report_profile *profile)
{
	const char *command = report_run_text(&profile->runs.items[0], "run.command");
	size_t more = profile->runs.count - 1;

	text_format(out, "%s  ", side);
	report_add_visible(out, file);
	text_add(out, ": ");
	report_add_visible(out, *command ? command : "(unknown command)");
	if (more) {
		text_add(out, " (and ");
		report_add_count(out, more, "more run", "more runs");
		text_add(out, ")");
	}
	text_add(out, "\n");
}

static size_t count_state(const struct diff *diff, const char *state)
{
	size_t count = 0;

	vector_for_each (&diff->rows, row)
		count += !strcmp(state_of(row), state);
	return count;
}

static void add_sums(struct text *out, const char *what, const uint64_t sums[DIFF_SIDES])
{
	text_format(out, "%s: ", what);
	text_add_grouped(out, sums[DIFF_A]);
	text_add(out, " in A, ");
	text_add_grouped(out, sums[DIFF_B]);
	text_add(out, " in B");
	if (sums[DIFF_A] != sums[DIFF_B]) {
		text_add(out, ": ");
		add_distance(out, sums, true);
		text_add(out, sums[DIFF_A] ? ", " : "");
		add_change(out, sums);
	}
	text_add(out, "\n");
}

/* "12 functions differ: 3 new, 4 gone; 271 do not (within 5 %)" */
static void add_totals(const struct diff *diff, const struct diff_options *options,
		       struct text *out)
{
	size_t count = diff->rows.count, new = count_state(diff, "new"),
	       gone = count_state(diff, "gone");

	text_add(out, "\n");
	report_add_count(out, count, words[options->by].by, words[options->by].many);
	text_add(out, count == 1 ? " differs" : " differ");
	if (new || gone)
		text_format(out, ": %zu new, %zu gone", new, gone);
	text_format(out, "; %zu %s not", diff->equal, diff->equal == 1 ? "does" : "do");
	if (options->threshold > 0)
		text_format(out, " (by more than %g %%)", options->threshold);
	text_add(out, "\n");
	add_sums(out,
		 diff->sides[DIFF_A]->coverage ? "Executed"
		 : diff->samples               ? "Samples"
					       : words[options->by].sums,
		 diff->calls);
	if (diff->blocks)
		add_sums(out, "Instructions", diff->instructions);
}

void report_diff_text(const struct diff *diff, const struct diff_options *options,
		      struct text *out)
{
	add_side(out, "A", options->files[DIFF_A], diff->sides[DIFF_A]);
	add_side(out, "B", options->files[DIFF_B], diff->sides[DIFF_B]);
	if (diff->rows.count)
		add_table(diff, options, out);
	add_totals(diff, options, out);
}

static void add_json_side(const struct diff *diff, const struct diff_options *options,
			  int side, struct text *out)
{
	const struct report_profile *profile = diff->sides[side];

	text_add(out, "{");
	json_add_string(out, "file", options->files[side]);
	json_add_number(out, diff->samples ? "samples" : words[options->by].key,
			diff->calls[side]);
	if (diff->blocks)
		json_add_number(out, "instructions", diff->instructions[side]);
	json_add_key(out, "runs");
	text_add(out, "[");
	vector_for_each (&profile->runs, run) {
		text_add(out, run == profile->runs.items ? "" : ", ");
		json_add_globals(out, run);
	}
	text_add(out, "]}");
}

static void add_json_row(struct text *out, const struct diff_row *row, enum diff_by by,
			 bool instructions)
{
	double a = (double)row->calls[DIFF_A], b = (double)row->calls[DIFF_B];

	json_begin_item(out);
	json_add_string(out, "module", row->module);
	json_add_string(out, words[by].by, row->name);
	json_add_number(out, "a", row->calls[DIFF_A]);
	json_add_number(out, "b", row->calls[DIFF_B]);
	json_add_key(out, "difference");
	add_distance(out, row->calls, false);
	json_add_key(out, "ratio");
	if (row->calls[DIFF_A])
		text_format(out, "%.9g", b / a);
	else
		text_add(out, "null");
	if (instructions && !row->uncounted) {
		json_add_number(out, "instructions.a", row->instructions[DIFF_A]);
		json_add_number(out, "instructions.b", row->instructions[DIFF_B]);
	}
	json_add_string(out, "state", state_of(row));
	text_add(out, "}");
}

void report_diff_json(const struct diff *diff, const struct diff_options *options,
		      struct text *out)
{
	text_add(out, "{\"a\": ");
	add_json_side(diff, options, DIFF_A, out);
	text_add(out, ",\n\"b\": ");
	add_json_side(diff, options, DIFF_B, out);
	text_format(out, ",\n\"by\": \"%s\", \"threshold\": %.9g, \"equal\": %zu",
		    words[options->by].by, options->threshold, diff->equal);
	json_begin_list(out, "rows");
	vector_for_each (&diff->rows, row)
		add_json_row(out, row, options->by, diff->blocks);
	text_add(out, "]}\n");
}
