/* Tables and trees: columns as wide as they need. */
#include "query/format/table.h"

#include "query/format/cells.h"
#include "query/format/paths.h"
#include "report/text/grid.h"

/* The parts of a table or tree. */
struct table_parts {
	struct query_result *result;
	struct grid grid;
	struct VECTOR(char *) titles;
	size_t *columns; /* that are shown */
	size_t count;
	struct record_value *cells;
	struct text cell;
};

static void add_column(struct table_parts *parts, const char *title, bool right)
{
	vector_push(&parts->titles, memory_copy_string(title));
	grid_add_column(&parts->grid, parts->titles.items[parts->titles.count - 1],
			right);
}

static void begin_table(struct table_parts *parts, struct query_result *result, bool tree)
{
	*parts = (struct table_parts){.result = result};
	parts->columns = query_result_visible(result, &parts->count);
	result->most_bytes = QUERY_CELL_BYTES;
	parts->cells = memory_allocate(result->columns.count * sizeof(*parts->cells));
	if (tree) {
		query_leave_out_paths(result);
		add_column(parts, "path", false);
	}
	for (size_t i = 0; i < parts->count; i++) {
		const struct query_result_column *column =
			&result->columns.items[parts->columns[i]];

		if (tree && column->kind == QUERY_COLUMN_PATH)
			continue;
		parts->cell.length = 0;
		query_add_title(&parts->cell, result, column);
		add_column(parts, parts->cell.data, !column->text);
	}
}

/* Adds the cells of a row (empty ones without a row); in a tree without the path. */
static void add_row(struct table_parts *parts, const struct query_row *row, bool tree)
{
	if (row)
		query_result_cells(parts->result, row, parts->cells);
	for (size_t i = 0; i < parts->count; i++) {
		size_t column = parts->columns[i];

		if (tree &&
		    parts->result->columns.items[column].kind == QUERY_COLUMN_PATH)
			continue;
		parts->cell.length = 0;
		query_add_cell(&parts->cell,
			       row ? parts->cells[column] : query_nothing());
		grid_add_text(&parts->grid, parts->cell.data);
	}
}

static void end_table(struct table_parts *parts, const struct query_style *style,
		      struct text *out)
{
	const struct text_style grid_style = {style->colour, style->width};

	if (parts->grid.columns.count)
		grid_print(&parts->grid, &grid_style, out);
	grid_deinit(&parts->grid);
	vector_for_each (&parts->titles, title)
		free(*title);
	vector_deinit(&parts->titles);
	free(parts->columns);
	free(parts->cells);
	text_deinit(&parts->cell);
}

void query_print_table(struct query_result *result, const struct query_style *style,
		       struct text *out)
{
	struct table_parts parts;

	begin_table(&parts, result, false);
	vector_for_each (&result->rows, row)
		add_row(&parts, row, false);
	end_table(&parts, style, out);
}

void query_print_tree(struct query_result *result, const struct query_style *style,
		      struct text *out)
{
	struct query_lines lines = {0};
	struct table_parts parts;

	begin_table(&parts, result, true);
	query_lines_make(&lines, result);
	vector_for_each (&lines, line) {
		size_t indent = line->depth < QUERY_INDENTED_LEVELS
					? line->depth
					: QUERY_INDENTED_LEVELS;

		parts.cell.length = 0;
		text_format(&parts.cell, "%*s", (int)(2 * indent), "");
		query_add_line_label(&parts.cell, result, line);
		grid_add_text(&parts.grid, parts.cell.data);
		add_row(&parts, line->row, true);
	}
	vector_deinit(&lines);
	end_table(&parts, style, out);
}
