#include "join/compare_show.h"

#include "base/json_write.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <math.h>
#include <string.h>

static const char *state_of(const struct compare_row *row)
{
	return !row->there[COMPARE_A]   ? "new"
	       : !row->there[COMPARE_B] ? "gone"
					: "changed";
}

static void add_number(struct text *out, double number, bool sign)
{
	if (number < 0)
		text_add(out, "-");
	else if (sign && number > 0)
		text_add(out, "+");
	number = fabs(number);
	if (number < 1e18 && number == (double)(uint64_t)number)
		text_add_grouped(out, (uint64_t)number);
	else
		text_format(out, "%.6g", number);
}

static void add_cell(struct grid *grid, double number, bool sign)
{
	struct text text = {0};

	text_add(&text, "");
	add_number(&text, number, sign);
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

static void add_change(struct grid *grid, const struct compare_row *row)
{
	const double a = row->sums[COMPARE_A], b = row->sums[COMPARE_B];
	const char *state = state_of(row);
	struct text text = {0};

	text_add(&text, "");
	if (strcmp(state, "changed") != 0)
		text_add(&text, state);
	else if (a != 0)
		text_format(&text, "%+.1f %%", 100 * (b - a) / fabs(a));
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

static void add_row(const struct comparison *comparison, const struct compare_row *row,
		    struct grid *grid)
{
	const char *state = state_of(row);
	struct text text = {0};

	grid_paint_row(grid, !strcmp(state, "new")    ? GRID_GREEN
			     : !strcmp(state, "gone") ? GRID_RED
						      : GRID_PLAIN);
	add_cell(grid, row->sums[COMPARE_A], false);
	add_cell(grid, row->sums[COMPARE_B], false);
	add_cell(grid, row->sums[COMPARE_B] - row->sums[COMPARE_A], true);
	add_change(grid, row);
	if (comparison->samples) {
		text_format(&text, "%.1f σ", compare_deviations(row));
		grid_add_text(grid, text.data);
		text_deinit(&text);
	}
	for (size_t i = 0; i < comparison->names.count; i++)
		grid_add_text(grid, row->keys[i] ? row->keys[i] : "-");
}

static void add_table(const struct comparison *comparison,
		      const struct compare_options *options, struct text *out)
{
	const struct text_style style = {options->colour, options->width};
	struct grid grid = {0};

	grid_add_column(&grid, "A", true);
	grid_add_column(&grid, "B", true);
	grid_add_column(&grid, "Difference", true);
	grid_add_column(&grid, "Change", true);
	if (comparison->samples)
		grid_add_column(&grid, "Significance", true);
	vector_for_each (&comparison->names, name)
		grid_add_column(&grid, *name, false);
	for (size_t i = 0; i < comparison->rows.count && i < options->limit; i++)
		add_row(comparison, &comparison->rows.items[i], &grid);
	text_add(out, "\n");
	grid_print(&grid, &style, out);
	grid_deinit(&grid);
	if (comparison->rows.count > options->limit)
		report_add_more(out, comparison->rows.count - options->limit, "row",
				"rows");
}

void comparison_text(const struct comparison *comparison,
		     const struct compare_options *options, struct text *out)
{
	for (int side = COMPARE_A; side < COMPARE_SIDES; side++) {
		text_add(out, side == COMPARE_A ? "A  " : "B  ");
		report_add_visible(out, options->files[side]);
		text_add(out, "\n");
	}
	if (comparison->rows.count)
		add_table(comparison, options, out);
	text_format(out, "\n%s: ", comparison->of);
	add_number(out, comparison->sums[COMPARE_A], false);
	text_add(out, " in A, ");
	add_number(out, comparison->sums[COMPARE_B], false);
	text_add(out, " in B (");
	add_number(out, comparison->sums[COMPARE_B] - comparison->sums[COMPARE_A], true);
	text_add(out, ")\n");
	report_add_count(out, comparison->rows.count, "row", "rows");
	text_format(out, " %s; %zu %s not%s\n",
		    comparison->rows.count == 1 ? "differs" : "differ", comparison->equal,
		    comparison->equal == 1 ? "does" : "do",
		    comparison->samples ? ", by more than chance may make (2 σ)" : "");
}

static void add_json_number(struct text *out, const char *key, double number)
{
	json_add_key(out, key);
	text_format(out, "%.17g", number);
}

void comparison_json(const struct comparison *comparison,
		     const struct compare_options *options, struct text *out)
{
	text_add(out, "{");
	json_add_text(out, "a", options->files[COMPARE_A]);
	json_add_text(out, "b", options->files[COMPARE_B]);
	json_add_text(out, "by", options->by);
	json_add_text(out, "of", comparison->of);
	add_json_number(out, "sum.a", comparison->sums[COMPARE_A]);
	add_json_number(out, "sum.b", comparison->sums[COMPARE_B]);
	json_add_number(out, "equal", comparison->equal);
	json_begin_list(out, "rows");
	vector_for_each (&comparison->rows, row) {
		json_begin_item(out);
		json_add_key(out, "keys");
		text_add(out, "{");
		for (size_t i = 0; i < comparison->names.count; i++)
			if (row->keys[i])
				json_add_text(out, comparison->names.items[i],
					      row->keys[i]);
		text_add(out, "}");
		add_json_number(out, "a", row->sums[COMPARE_A]);
		add_json_number(out, "b", row->sums[COMPARE_B]);
		add_json_number(out, "difference",
				row->sums[COMPARE_B] - row->sums[COMPARE_A]);
		if (comparison->samples)
			add_json_number(out, "deviations", compare_deviations(row));
		json_add_text(out, "state", state_of(row));
		text_add(out, "}");
	}
	text_add(out, "]}\n");
}
