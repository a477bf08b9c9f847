/* A page of its own, without scripts: a table, with paths indented as a tree. */
#include "query/format.h"
#include "query/format/cells.h"
#include "query/format/paths.h"

static void add_html(struct text *out, const char *string)
{
	static const char special[] = "&<>\"";
	static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	for (; *string; string++) {
		const char *at = strchr(special, *string);

		if (at)
			text_add(out, names[at - special]);
		else
			text_add_bytes(out, string, 1);
	}
}

static const char head[] =
	"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>trammel "
	"query</title>\n"
	"<style>\n"
	"body { font-family: sans-serif; }\n"
	"table { border-collapse: collapse; }\n"
	"th, td { padding: 0.1em 0.8em; text-align: left; white-space: pre; }\n"
	"th { border-bottom: 1px solid; }\n"
	"tr:hover { background: #eee; }\n"
	".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
	"</style></head><body>\n";

struct page {
	struct query_result *result;
	size_t *columns;
	size_t count;
	struct record_value *cells;
	struct text cell;
};

static bool is_path(const struct page *page, size_t i)
{
	return page->result->columns.items[page->columns[i]].kind == QUERY_COLUMN_PATH;
}

static void add_heads(struct page *page, bool tree, struct text *out)
{
	text_add(out, "<table><thead><tr>");
	text_add(out, tree ? "<th>path</th>" : "");
	for (size_t i = 0; i < page->count; i++) {
		const struct query_result_column *column =
			&page->result->columns.items[page->columns[i]];

		if (is_path(page, i))
			continue;
		page->cell.length = 0;
		query_add_title(&page->cell, page->result, column);
		text_add(out, column->text ? "<th>" : "<th class=\"n\">");
		add_html(out, page->cell.data);
		text_add(out, "</th>");
	}
	text_add(out, "</tr></thead><tbody>\n");
}

static void add_line(struct page *page, const struct query_line *line, bool tree,
		     struct text *out)
{
	page->cell.length = 0;
	text_add(&page->cell, "");
	query_add_label(&page->cell, page->result, line->key);
	text_add(out, "<tr>");
	if (tree) {
		text_format(out, "<td style=\"padding-left: %zuem\">",
			    2 * line->depth + 1);
		add_html(out, page->cell.data);
		text_add(out, "</td>");
	}
	if (line->row)
		query_result_cells(page->result, line->row, page->cells);
	for (size_t i = 0; i < page->count; i++) {
		bool text = page->result->columns.items[page->columns[i]].text;

		if (is_path(page, i))
			continue;
		page->cell.length = 0;
		query_add_cell(&page->cell, line->row ? page->cells[page->columns[i]]
						      : query_nothing());
		text_add(out, text ? "<td>" : "<td class=\"n\">");
		add_html(out, page->cell.data);
		text_add(out, "</td>");
	}
	text_add(out, "</tr>\n");
}

void query_print_html(struct query_result *result, const struct query_style *style,
		      struct text *out)
{
	struct page page = {.result = result};
	struct query_lines lines = {0};
	bool tree = false;

	(void)style;
	result->most_bytes = QUERY_CELL_BYTES;
	query_leave_out_paths(result);
	page.columns = query_result_visible(result, &page.count);
	page.cells = memory_allocate(result->columns.count * sizeof(*page.cells));
	query_lines_make(&lines, result);
	vector_for_each (&lines, line)
		tree |= line->key != 0;
	text_add(out, head);
	add_heads(&page, tree, out);
	vector_for_each (&lines, line)
		add_line(&page, line, tree, out);
	text_add(out, "</tbody></table>\n</body></html>\n");
	vector_deinit(&lines);
	free(page.columns);
	free(page.cells);
	text_deinit(&page.cell);
}
