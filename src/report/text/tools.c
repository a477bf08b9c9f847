#include "report/text/tools.h"

#include "base/path.h"
#include "report/text/amounts.h"
#include "report/tools.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_WIDTH = 60 }; /* columns of a text that is a key */

static void add_text(struct grid *grid, const struct report_tool_cell *cell)
{
	char text[TEXT_WIDTH + 1];

	if (!cell->there || strlen(cell->text) <= TEXT_WIDTH) {
		grid_add_text(grid, cell->there ? cell->text : "");
		return;
	}
	memcpy(text, cell->text, TEXT_WIDTH - 3);
	memcpy(text + TEXT_WIDTH - 3, "...", sizeof("..."));
	grid_add_text(grid, text);
}

static void add_number(struct grid *grid, const struct report_tool_column *column,
		       const struct report_tool_cell *cell)
{
	struct text text = {0};

	if (!cell->there) {
		grid_add_text(grid, "");
		return;
	}
	if (column->type == RECORD_DOUBLE) {
		text_format(&text, "%.6g", cell->d);
	} else {
		text_add(&text, cell->i < 0 ? "-" : "");
		text_add_grouped(&text,
				 cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i);
	}
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

static bool is_key(const struct report_tool_column *column)
{
	return column->fold == REPORT_TOOL_KEY;
}

static void add_columns(struct grid *grid, const struct report_tool_table *table,
			bool keys)
{
	vector_for_each (&table->columns, column)
		if (is_key(column) == keys)
			grid_add_column(grid, column->title,
					column->type != RECORD_STRING);
}

static void add_cells(struct grid *grid, const struct report_tool_table *table,
		      const struct report_tool_sum *row, bool keys)
{
	for (size_t i = 0; i < table->columns.count; i++) {
		const struct report_tool_column *column = &table->columns.items[i];

		if (is_key(column) != keys)
			continue;
		if (column->type == RECORD_STRING)
			add_text(grid, &row->cells[i]);
		else
			add_number(grid, column, &row->cells[i]);
	}
}

/* "app.c:12", or the address. */
static void add_place(struct grid *grid, const struct report_tool_code *code)
{
	struct text text = {0};

	if (code->line)
		text_format(&text, "%s:%" PRIu64, path_name(code->file), code->line);
	else if (code->function)
		text_format(&text, "0x%" PRIx64, code->address);
	grid_add_text(grid, text.data ? text.data : "");
	text_deinit(&text);
}

static void add_row(struct grid *grid, const struct report_tool_table *table,
		    const struct report_tool_sum *row)
{
	add_cells(grid, table, row, false);
	add_cells(grid, table, row, true);
	if (!table->has_code)
		return;
	grid_add_text(grid, row->code.module ? row->code.module : "");
	add_place(grid, &row->code);
	grid_add_text(grid, row->code.function ? row->code.function : "");
}

static void add_table(struct text *out, const struct report_profile *profile,
		      uint32_t number, size_t limit, const struct text_style *style)
{
	const struct report_tool_table *table = &profile->tool_tables.items[number];
	struct report_tool_sums sums = report_tools_sums(profile, number);
	struct grid grid = {0};

	add_columns(&grid, table, false);
	add_columns(&grid, table, true);
	if (table->has_code) {
		grid_add_column(&grid, "Module", false);
		grid_add_column(&grid, "Place", false);
		grid_add_column(&grid, "Function", false);
	}
	for (size_t i = 0; i < sums.rows.count && i < limit; i++)
		add_row(&grid, table, &sums.rows.items[i]);
	if (sums.rows.count) {
		text_add(out, "\n");
		report_add_visible(out, table->tool);
		text_add(out, ": ");
		report_add_visible(out, table->name);
		text_add(out, "\n");
		grid_print(&grid, style, out);
	}
	if (sums.rows.count > limit)
		report_add_more(out, sums.rows.count - limit, "row", "rows");
	grid_deinit(&grid);
	report_tools_sums_deinit(&sums);
}

void report_add_tools(struct text *out, const struct report_profile *profile,
		      size_t limit, const struct text_style *style)
{
	for (uint32_t i = 0; i < profile->tool_tables.count; i++)
		add_table(out, profile, i, limit, style);
}

void report_add_tool_names(struct text *out, const struct report_profile *profile)
{
	const char *last = NULL;

	vector_for_each (&profile->tool_tables, table) {
		struct report_tool_sums sums = report_tools_sums(
			profile, (uint32_t)(table - profile->tool_tables.items));

		text_add(out, table->tool == last ? ", " : "\n  ");
		if (table->tool != last) {
			report_add_visible(out, table->tool);
			text_add(out, " recorded ");
		}
		report_add_visible(out, table->name);
		text_add(out, " (");
		report_add_count(out, sums.rows.count, "row", "rows");
		text_add(out, ")");
		last = table->tool;
		report_tools_sums_deinit(&sums);
	}
	if (last)
		text_add(out, ": trammel report shows them\n");
}
