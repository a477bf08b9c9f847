/* A page of its own: a table, with paths indented as a tree, which a small script of the
 * page can fold. */
#include "query/format/html.h"

#include "query/format/cells.h"
#include "query/format/output.h"
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

/* Colours are the reader's own, light or dark. Headings and paths stay in sight. */
static const char style_text[] =
	"<style>\n"
	":root { color-scheme: light dark; }\n"
	"body { font-family: sans-serif; margin: 0.5em; }\n"
	"table { border-collapse: separate; border-spacing: 0; }\n"
	"th, td { padding: 0.1em 0.8em; text-align: left; white-space: pre;\n"
	"  background: Canvas; max-width: 30em; overflow: hidden; text-overflow: "
	"ellipsis; "
	"}\n"
	"th { border-bottom: 1px solid; position: sticky; top: 0; z-index: 1; }\n"
	".p { position: sticky; left: 0; box-sizing: border-box; max-width: 55vw;\n"
	"  border-right: 1px solid #8886; }\n"
	"th.p { z-index: 2; }\n"
	"tr:hover td { background: linear-gradient(#8883, #8883) Canvas; }\n"
	".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
	"button { all: unset; cursor: pointer; display: inline-block; width: 1em; "
	"margin-left: -1em; }\n"
	"button:focus-visible { outline: 1px solid; }\n"
	"button::before { content: \"\\25be\"; }\n"
	"button[aria-expanded=false]::before { content: \"\\25b8\"; }\n"
	"</style></head><body>\n";

/* Without it all is shown. A row is below the last one before it that is less deep. */
static const char script[] =
	"<script>\n"
	"const rows = [...document.querySelectorAll('tr[data-d]')];\n"
	"const depth = row => Number(row.dataset.d);\n"
	"function show() {\n"
	"  let closed = Infinity;\n"
	"  for (const row of rows) {\n"
	"    if (depth(row) <= closed) closed = Infinity;\n"
	"    row.hidden = closed < Infinity;\n"
	"    const button = row.querySelector('button');\n"
	"    if (!row.hidden && button && button.ariaExpanded == 'false') closed = "
	"depth(row);\n"
	"  }\n"
	"}\n"
	"rows.forEach((row, i) => {\n"
	"  if (i + 1 == rows.length || depth(rows[i + 1]) <= depth(row)) return;\n"
	"  const button = document.createElement('button');\n"
	"  button.ariaExpanded = 'true';\n"
	"  button.ariaLabel = 'what is below';\n"
	"  button.onclick = () => {\n"
	"    button.ariaExpanded = String(button.ariaExpanded == 'false');\n"
	"    show();\n"
	"  };\n"
	"  row.firstChild.prepend(button);\n"
	"});\n"
	"</script>\n";

enum {
	LONG_TEXT = 50, /* bytes, of which not all may be seen */
};

struct page {
	struct query_result *result;
	size_t *columns;
	size_t count;
	struct record_value *cells;
	struct text cell;
	size_t *places; /* by visible column: most digits behind a point */
};

static bool is_path(const struct page *page, size_t i)
{
	return page->result->columns.items[page->columns[i]].kind == QUERY_COLUMN_PATH;
}

/* The number of characters behind the integral part of a number, its point included. */
static size_t places_of(const char *number)
{
	const char *point = strchr(number, '.');

	return point && !strchr(number, 'e') ? strlen(point) : 0;
}

static void measure_decimals(struct page *page)
{
	vector_for_each (&page->result->rows, row) {
		query_result_cells(page->result, row, page->cells);
		for (size_t i = 0; i < page->count; i++) {
			struct record_value value = page->cells[page->columns[i]];
			size_t places;

			if ((int)value.type != RECORD_DOUBLE)
				continue;
			page->cell.length = 0;
			query_add_cell(&page->cell, value);
			places = places_of(page->cell.data);
			if (places > page->places[i])
				page->places[i] = places;
		}
	}
}

static void begin_page(struct page *page, struct text *out)
{
	text_add(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\"><title>");
	add_html(out, page->result->query->text);
	text_add(out, "</title>\n");
	text_add(out, style_text);
}

static void add_heads(struct page *page, bool tree, struct text *out)
{
	text_add(out, "<table><thead><tr>");
	text_add(out, tree ? "<th class=\"p\">path</th>" : "");
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

/* A tag with these words in it, and what page.cell has. What may not be seen whole is a
 * tip, too. */
static void add_cell(struct page *page, const char *words, struct text *out)
{
	text_format(out, "<td%s", words);
	if (page->cell.length > LONG_TEXT) {
		text_add(out, " title=\"");
		add_html(out, page->cell.data);
		text_add(out, "\"");
	}
	text_add(out, ">");
	add_html(out, page->cell.data);
	text_add(out, "</td>");
}

static void add_value(struct page *page, size_t i, struct record_value value,
		      struct text *out)
{
	const struct query_result_column *column =
		&page->result->columns.items[page->columns[i]];

	page->cell.length = 0;
	query_add_cell(&page->cell, value);
	if (column->text) {
		add_cell(page, "", out);
		return;
	}
	/* Figure spaces for digits, and for the point a space that is as wide. */
	for (size_t at = places_of(page->cell.data);
	     page->cell.length && at < page->places[i]; at++)
		text_add(&page->cell, at ? "\342\200\207" : "\342\200\210");
	text_add(out, "<td class=\"n\">");
	add_html(out, page->cell.data);
	text_add(out, "</td>");
}

/* The label of a line of the tree. */
static void add_label(struct page *page, const struct query_line *line, struct text *out)
{
	size_t indent =
		line->depth < QUERY_INDENTED_LEVELS ? line->depth : QUERY_INDENTED_LEVELS;
	struct text words = {0};

	page->cell.length = 0;
	query_add_line_label(&page->cell, page->result, line);
	text_format(&words, " class=\"p\" style=\"padding-left: min(%zu.6em, 35vw)\"",
		    indent + 1);
	add_cell(page, words.data, out);
	text_deinit(&words);
}

static void add_line(struct page *page, const struct query_line *line, bool tree,
		     struct text *out)
{
	if (tree && line->key)
		text_format(out, "<tr data-d=\"%zu\">", line->depth);
	else
		text_add(out, "<tr>");
	if (tree)
		add_label(page, line, out);
	if (line->row)
		query_result_cells(page->result, line->row, page->cells);
	for (size_t i = 0; i < page->count; i++)
		if (!is_path(page, i))
			add_value(page, i,
				  line->row ? page->cells[page->columns[i]]
					    : query_nothing(),
				  out);
	text_add(out, "</tr>\n");
}

void query_print_html(struct query_result *result, const struct query_style *style,
		      struct text *out)
{
	struct page page = {.result = result};
	struct query_lines lines = {0};
	bool tree = false;

	result->most_bytes = QUERY_CELL_BYTES;
	query_leave_out_paths(result);
	page.columns = query_result_visible(result, &page.count);
	page.cells = memory_allocate(result->columns.count * sizeof(*page.cells));
	query_lines_make(&lines, result);
	vector_for_each (&lines, line)
		tree |= line->key != 0;
	page.places = memory_allocate_zeroed(page.count + 1, sizeof(*page.places));
	measure_decimals(&page);
	begin_page(&page, out);
	add_heads(&page, tree, out);
	vector_for_each (&lines, line) {
		add_line(&page, line, tree, out);
		query_give(style, out);
	}
	text_add(out, "</tbody></table>\n");
	text_add(out, tree ? script : "");
	text_add(out, "</body></html>\n");
	vector_deinit(&lines);
	free(page.columns);
	free(page.cells);
	free(page.places);
	text_deinit(&page.cell);
}
