#include "report/diff/records_show.h"

#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <string.h>

static const char *state_of(const struct record_diff_row *row)
{
	return !row->there[DIFF_A] ? "new" : !row->there[DIFF_B] ? "gone" : "changed";
}

/* A whole number as it is, others with six digits. */
static void add_value(struct text *out, long double value, bool grouped)
{
	const bool whole = value == (long double)(int64_t)value;
	const uint64_t size = (uint64_t)(value < 0 ? -value : value);

	if (!whole) {
		text_format(out, "%.6Lg", value);
		return;
	}
	text_add(out, value < 0 ? "-" : "");
	if (grouped)
		text_add_grouped(out, size);
	else
		text_format(out, "%llu", (unsigned long long)size);
}

static void add_cell(struct grid *grid, long double value, bool sign)
{
	struct text text = {0};

	text_add(&text, sign && value > 0 ? "+" : "");
	add_value(&text, value, true);
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

static void add_row(struct grid *grid, const struct record_diff_row *row)
{
	const long double a = row->values[DIFF_A], b = row->values[DIFF_B];
	const char *state = state_of(row);
	struct text change = {0};

	grid_paint_row(grid, !strcmp(state, "new")    ? GRID_GREEN
			     : !strcmp(state, "gone") ? GRID_RED
						      : GRID_PLAIN);
	add_cell(grid, a, false);
	add_cell(grid, b, false);
	add_cell(grid, b - a, true);
	text_add(&change, "");
	if (strcmp(state, "changed") != 0)
		text_add(&change, state);
	else if (a != 0)
		text_format(&change, "%+.1Lf %%", 100 * (b - a) / (a < 0 ? -a : a));
	grid_add_text(grid, change.data);
	text_deinit(&change);
	grid_add_text(grid, row->number);
	grid_add_text(grid, *row->row ? row->row : "(all)");
}

/* Whether rows are of the same number of the same table. */
static bool is_alike(const struct record_diff_row *a, const struct record_diff_row *b)
{
	return !strcmp(a->table, b->table) && !strcmp(a->number, b->number);
}

/* Adds a table's rows from `first` on, `limit` of each number; returns where the next
 * table begins. */
static size_t add_table(const struct record_diff *diff, size_t first,
			const struct diff_options *options, struct text *out)
{
	const struct record_diff_row *rows = diff->rows.items;
	const struct text_style style = {options->colour, options->width};
	struct grid grid = {0};
	size_t i = first, shown = 0, more = 0;

	grid_add_column(&grid, "A", true);
	grid_add_column(&grid, "B", true);
	grid_add_column(&grid, "Difference", true);
	grid_add_column(&grid, "Change", true);
	grid_add_column(&grid, "Number", false);
	grid_add_column(&grid, "Row", false);
	for (; i < diff->rows.count && !strcmp(rows[i].table, rows[first].table); i++) {
		if (i > first && !is_alike(&rows[i], &rows[i - 1]))
			shown = 0;
		if (shown++ < options->limit)
			add_row(&grid, &rows[i]);
		else
			more++;
	}
	text_add(out, "\n");
	report_add_visible(out, rows[first].table);
	text_add(out, "\n");
	grid_print(&grid, &style, out);
	grid_deinit(&grid);
	if (more)
		report_add_more(out, more, "row", "rows");
	return i;
}

void record_diff_text(const struct record_diff *diff, const struct diff_options *options,
		      struct text *out)
{
	for (int side = DIFF_A; side < DIFF_SIDES; side++) {
		text_add(out, side == DIFF_A ? "A  " : "B  ");
		report_add_visible(out, options->files[side]);
		text_add(out, "\n");
	}
	for (size_t i = 0; i < diff->rows.count;)
		i = add_table(diff, i, options, out);
	text_add(out, "\n");
	report_add_count(out, diff->rows.count, "number", "numbers");
	text_format(out, " %s; %zu %s not", diff->rows.count == 1 ? "differs" : "differ",
		    diff->equal, diff->equal == 1 ? "does" : "do");
	if (options->threshold > 0)
		text_format(out, " (by more than %g %%)", options->threshold);
	text_add(out, "\n");
}

static void add_json_value(struct text *out, const char *key, long double value)
{
	json_add_key(out, key);
	add_value(out, value, false);
}

void record_diff_json(const struct record_diff *diff, const struct diff_options *options,
		      struct text *out)
{
	text_add(out, "{");
	json_add_string(out, "a", options->files[DIFF_A]);
	json_add_string(out, "b", options->files[DIFF_B]);
	json_add_string(out, "by", options->by == DIFF_BY_TOOL ? "tool" : "probe");
	text_format(out, ", \"threshold\": %.9g, \"equal\": %zu", options->threshold,
		    diff->equal);
	json_begin_list(out, "rows");
	vector_for_each (&diff->rows, row) {
		json_begin_item(out);
		json_add_string(out, "table", row->table);
		json_add_string(out, "row", row->row);
		json_add_string(out, "number", row->number);
		add_json_value(out, "a", row->values[DIFF_A]);
		add_json_value(out, "b", row->values[DIFF_B]);
		add_json_value(out, "difference",
			       row->values[DIFF_B] - row->values[DIFF_A]);
		json_add_string(out, "state", state_of(row));
		text_add(out, "}");
	}
	text_add(out, "]}\n");
}
