#include "report/text/grid.h"

#include "base/cleanup.h"
#include "report/text/amounts.h"
#include "report/text/bar.h"
#include "report/text/cells.h"
#include "report/text/choice.h"

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"
/* What stands between two columns, and in front of the first. */
#define GAP "  "

/* How many printing ASCII characters there are from here on. */
static size_t plain_length(const char *s)
{
	size_t length = 0;

	while (s[length] >= 0x20 && s[length] < 0x7f)
		length++;
	return length;
}

void report_add_visible(struct text *out, const char *string)
{
	for (const char *s = string; *s; s++) {
		size_t plain = plain_length(s);

		text_add_bytes(out, s, plain);
		s += plain;
		if (!*s)
			return;
		unsigned char byte = (unsigned char)*s;
		/* C1 controls are U+0080 to U+009F: c2 80 to c2 9f. */
		bool c1 = byte == 0xc2 && ((unsigned char)s[1] & 0xe0) == 0x80;

		text_add_bytes(out, byte < 0x20 || byte == 0x7f || c1 ? "?" : s, 1);
		s += c1;
	}
}

void grid_add_column(struct grid *grid, const char *title, bool right)
{
	vector_push(&grid->columns, ((struct grid_column){title, right}));
}

void grid_paint_row(struct grid *grid, enum grid_paint paint)
{
	while (grid->paints.count <= grid->cells.count / grid->columns.count)
		vector_push(&grid->paints, GRID_PLAIN);
	grid->paints.items[grid->paints.count - 1] = (uint8_t)paint;
}

void grid_add_text(struct grid *grid, const char *text)
{
	struct text cell = {0};

	text_add(&cell, "");
	report_add_visible(&cell, text);
	vector_push(&grid->cells, cell.data);
}

void grid_add_number(struct grid *grid, unsigned long long number)
{
	struct text cell = {0};

	text_add_grouped(&cell, number);
	vector_push(&grid->cells, cell.data);
}

void grid_add_share(struct grid *grid, unsigned long long part, unsigned long long of)
{
	struct text cell = {0};

	text_add(&cell, "");
	if (of)
		text_format(&cell, "%.1f %%", 100.0 * (double)part / (double)of);
	vector_push(&grid->cells, cell.data);
}

static void add_spaces(struct text *out, size_t count)
{
	text_format(out, "%*s", (int)count, "");
}

/* Adds at most `columns` columns of the string; a cut is shown by "...". */
static void add_cut(struct text *out, const char *string, size_t columns)
{
	size_t used;

	if (cells_of(string) <= columns) {
		text_add(out, string);
		return;
	}
	text_add_bytes(out, string,
		       cells_fit(string, columns > 3 ? columns - 3 : 0, &used));
	text_add_bytes(out, "...", columns < 3 ? columns : 3);
}

/* Begins the colour of a row; what ends it, "" if there is none. */
static const char *begin_paint(const struct grid *grid, size_t row, bool colour,
			       struct text *out)
{
	static const char *const colours[] = {
		[GRID_GREEN] = "\033[32m", [GRID_RED] = "\033[31m"};
	uint8_t paint = row < grid->paints.count ? grid->paints.items[row] : GRID_PLAIN;

	if (!colour || paint == GRID_PLAIN)
		return "";
	text_add(out, colours[paint]);
	return PLAIN;
}

static void measure_columns(const struct grid *grid, size_t *widths)
{
	for (size_t i = 0; i < grid->columns.count; i++)
		widths[i] = cells_of(grid->columns.items[i].title);
	for (size_t i = 0; i < grid->cells.count; i++) {
		size_t columns = cells_of(grid->cells.items[i]);

		if (columns > widths[i % grid->columns.count])
			widths[i % grid->columns.count] = columns;
	}
}

/* On a narrow terminal names keep so many columns, and lines go on in the next one. */
enum { LAST_COLUMNS_MIN = 16 };

/* On a terminal that is wide enough the first share of each row has a bar. */
enum { BAR_COLUMNS = 8, BAR_LINE_MIN = 72 };

struct bars {
	size_t column; /* SIZE_MAX: there are none */
	double most;   /* percent, of the longest one */
};

/* The number in a cell with a share; 0 for others, as titles. */
static double percent_in(const char *cell)
{
	char *end;
	const double percent = strtod(cell, &end);

	return end != cell && percent > 0 && percent <= 100 ? percent : 0;
}

static struct bars find_bars(const struct grid *grid, size_t line_width)
{
	struct bars bars = {.column = SIZE_MAX};

	for (size_t i = grid->columns.count; line_width >= BAR_LINE_MIN && i--;)
		if (!strcmp(grid->columns.items[i].title, "Share"))
			bars.column = i;
	if (bars.column == SIZE_MAX)
		return bars;
	for (size_t i = bars.column; i < grid->cells.count; i += grid->columns.count) {
		const double percent = percent_in(grid->cells.items[i]);

		bars.most = percent > bars.most ? percent : bars.most;
	}
	return bars;
}

/* Adds the bar of a cell; the largest share has the whole length. */
static void add_bar(const struct bars *bars, const char *cell, struct text *out)
{
	text_add(out, " ");
	bar_add(out, bars->most > 0 ? percent_in(cell) / bars->most : 0, BAR_COLUMNS,
		cells_are_unicode());
}

/* Where the columns of a table are. */
struct places {
	const size_t *widths;
	size_t line_width; /* 0: lines are not cut */
	struct bars bars;
};

static void add_line(const struct grid *grid, const struct places *places,
		     const char *const *cells, struct text *out)
{
	const size_t *widths = places->widths, line_width = places->line_width;
	size_t used = 0;

	for (size_t i = 0; i < grid->columns.count; i++) {
		bool last = i + 1 == grid->columns.count,
		     right = grid->columns.items[i].right;
		size_t columns = cells_of(cells[i]), left;

		text_add(out, GAP);
		used += strlen(GAP);
		left = line_width > used + LAST_COLUMNS_MIN ? line_width - used
							    : LAST_COLUMNS_MIN;
		if (right && (!last || !line_width || *cells[i]))
			add_spaces(out, widths[i] - columns);
		if (last && line_width && !right) /* a part of a number is none */
			add_cut(out, cells[i], left);
		else
			text_add(out, cells[i]);
		if (!right && !last)
			add_spaces(out, widths[i] - columns);
		used += widths[i];
		if (i == places->bars.column) {
			add_bar(&places->bars, cells[i], out);
			used += 1 + BAR_COLUMNS;
		}
	}
}

static void print_whole(const struct grid *grid, const struct text_style *style,
			struct text *out)
{
	scoped_free size_t *widths =
		memory_allocate(grid->columns.count * sizeof(*widths));
	scoped_free const char **cells =
		memory_allocate(grid->columns.count * sizeof(*cells));

	measure_columns(grid, widths);
	const struct places places = {widths, style->width,
				      find_bars(grid, style->width)};

	for (size_t i = 0; i < grid->columns.count; i++)
		cells[i] = grid->columns.items[i].title;
	text_add(out, style->colour ? BOLD : "");
	add_line(grid, &places, cells, out);
	text_add(out, style->colour ? PLAIN "\n" : "\n");
	for (size_t at = 0; at < grid->cells.count; at += grid->columns.count) {
		for (size_t i = 0; i < grid->columns.count; i++)
			cells[i] = grid->cells.items[at + i];
		const char *end =
			begin_paint(grid, at / grid->columns.count, style->colour, out);

		add_line(grid, &places, cells, out);
		text_add(out, end);
		text_add(out, "\n");
	}
}

void grid_print(const struct grid *grid, const struct text_style *style, struct text *out)
{
	struct grid view;
	size_t more;

	if (!choice_make_view(grid, &view, &more)) {
		print_whole(grid, style, out);
		return;
	}
	if (!choice_take_csv(&view) && view.columns.count)
		print_whole(&view, style, out);
	if (more)
		report_add_more(out, more, "row", "rows");
	choice_view_deinit(&view);
}

void grid_deinit(struct grid *grid)
{
	vector_for_each (&grid->cells, cell)
		free(*cell);
	vector_deinit(&grid->columns);
	vector_deinit(&grid->cells);
	vector_deinit(&grid->paints);
}

void report_add_quoted(struct text *out, const char *string)
{
	struct text visible = {0};

	text_add(&visible, "");
	report_add_visible(&visible, string);
	for (const char *s = visible.data; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_add(out, "\\");
		text_add_bytes(out, s, 1);
	}
	text_deinit(&visible);
}
