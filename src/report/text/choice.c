#include "report/text/choice.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/table.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Of the command that runs; a process runs one. */
static struct {
	bool any;
	struct grid_choice wanted;
	struct VECTOR(char *) columns; /* the titles that are wanted */
	uint64_t found;                /* a bit for each of the first 64 */
	bool sorted;                   /* some table had the column to sort by */
	struct string_table seen;      /* titles of all tables */
	struct text csv;
} state;

static void forget_state(void)
{
	vector_for_each (&state.columns, column)
		free(*column);
	vector_deinit(&state.columns);
	string_table_deinit(&state.seen);
	text_deinit(&state.csv);
	state.any = state.sorted = false;
	state.found = 0;
}

void grid_choose(const struct grid_choice *choice)
{
	forget_state();
	if (!choice)
		return;
	state.wanted = *choice;
	state.any = choice->columns || choice->sort || choice->csv;
	for (const char *at = choice->columns; at && *at; at += *at == ',') {
		const size_t length = strcspn(at, ",");
		char *title = strndup(at, length);

		if (title)
			vector_push(&state.columns, title);
		at += length;
	}
}

/* Whether a title is meant: in any case, and without the unit behind it. */
static bool is_title(const char *title, const char *word)
{
	const size_t length = strlen(word);

	return !strncasecmp(title, word, length) &&
	       (!title[length] || !strncmp(title + length, " (", 2));
}

static size_t find_column(const struct grid *grid, const char *word, size_t from)
{
	while (from < grid->columns.count &&
	       !is_title(grid->columns.items[from].title, word))
		from++;
	return from;
}

struct columns VECTOR(size_t);

/* The columns of a table that are wanted, in the order in which they are; all of one
 * title. */
static void choose_columns(const struct grid *grid, struct columns *columns)
{
	for (size_t i = 0; !state.columns.count && i < grid->columns.count; i++)
		vector_push(columns, i);
	for (size_t i = 0; i < state.columns.count; i++) {
		size_t at = find_column(grid, state.columns.items[i], 0);

		for (; at < grid->columns.count;
		     at = find_column(grid, state.columns.items[i], at + 1)) {
			vector_push(columns, at);
			if (i < 64)
				state.found |= 1ull << i;
		}
	}
}

/* The number that a cell begins with, without the commas in it; false: it has none. */
static bool read_cell(const char *cell, double *ret_number)
{
	static const struct {
		const char *unit;
		double times;
	} units[] = {{" ns", 1}, {" us", 1e3}, {" µs", 1e3}, {" ms", 1e6}, {" s", 1e9}};
	struct text digits = {0};
	const char *at = cell;
	char *end;

	text_add(&digits, "");
	for (; isdigit((unsigned char)*at) || (*at && strchr("+-.,", *at)); at++)
		if (*at != ',')
			text_add_bytes(&digits, at, 1);
	*ret_number = strtod(digits.data, &end);
	const bool any = end != digits.data;

	text_deinit(&digits);
	for (size_t i = 0; i < array_count(units); i++)
		if (!strcmp(at, units[i].unit))
			*ret_number *= units[i].times;
	return any;
}

/* A row while rows are sorted. */
struct sorted_row {
	size_t row;
	const char *cell;
	double number;
	bool has_number;
};

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct sorted_row *a = left, *b = right;
	const bool turned = *(const bool *)context;
	int order;

	/* What has no number is last in any order. */
	if (a->has_number != b->has_number)
		return a->has_number ? -1 : 1;
	order = a->has_number ? compare_numbers(b->number, a->number)
			      : strcmp(a->cell, b->cell);
	if (order)
		return turned ? -order : order;
	return compare_numbers(a->row, b->row);
}

/* Lists the rows in the order that is wanted. */
static void order_rows(const struct grid *grid, struct columns *rows)
{
	const size_t count =
		grid->columns.count ? grid->cells.count / grid->columns.count : 0;
	bool turned = state.wanted.sort && *state.wanted.sort == '-';
	const size_t column = state.wanted.sort
				      ? find_column(grid, state.wanted.sort + turned, 0)
				      : grid->columns.count;
	struct sorted_row *sorted = memory_allocate((count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		sorted[i] = (struct sorted_row){.row = i};
		if (column == grid->columns.count)
			continue;
		sorted[i].cell = grid->cells.items[i * grid->columns.count + column];
		sorted[i].has_number = grid->columns.items[column].right &&
				       read_cell(sorted[i].cell, &sorted[i].number);
	}
	if (column < grid->columns.count) {
		state.sorted = true;
		qsort_r(sorted, count, sizeof(*sorted), compare_rows, &turned);
	}
	for (size_t i = 0; i < count; i++)
		vector_push(rows, sorted[i].row);
	free(sorted);
}

bool choice_make_view(const struct grid *grid, struct grid *ret_view, size_t *ret_more)
{
	struct columns columns = {0}, rows = {0};

	*ret_more = 0;
	if (!state.any)
		return false;
	*ret_view = (struct grid){0};
	vector_for_each (&grid->columns, column)
		string_table_intern(&state.seen, column->title);
	choose_columns(grid, &columns);
	order_rows(grid, &rows);
	if (state.wanted.sort && state.wanted.limit && rows.count > state.wanted.limit) {
		*ret_more = rows.count - state.wanted.limit;
		rows.count = state.wanted.limit;
	}
	vector_for_each (&columns, column)
		vector_push(&ret_view->columns, grid->columns.items[*column]);
	vector_for_each (&rows, row) {
		vector_push(&ret_view->paints, *row < grid->paints.count
						       ? grid->paints.items[*row]
						       : (uint8_t)GRID_PLAIN);
		vector_for_each (&columns, column)
			vector_push(
				&ret_view->cells,
				grid->cells.items[*row * grid->columns.count + *column]);
	}
	vector_deinit(&columns);
	vector_deinit(&rows);
	return true;
}

void choice_view_deinit(struct grid *view)
{
	vector_deinit(&view->columns);
	vector_deinit(&view->cells);
	vector_deinit(&view->paints);
}

/* A cell as CSV: of a number without commas and the sign of percents. */
static void add_cell(struct text *out, const char *cell, bool number)
{
	const size_t length = strlen(cell);
	double value;

	if (number && read_cell(cell, &value)) {
		const bool percent = length > 2 && !strcmp(cell + length - 2, " %");

		for (size_t i = 0; i < length - (percent ? 2 : 0); i++)
			if (cell[i] != ',')
				text_add_bytes(out, cell + i, 1);
		return;
	}
	if (!cell[strcspn(cell, ",\"\r\n")]) {
		text_add(out, cell);
		return;
	}
	text_add(out, "\"");
	for (const char *c = cell; *c; c++) {
		text_add(out, *c == '"' ? "\"" : "");
		text_add_bytes(out, c, 1);
	}
	text_add(out, "\"");
}

bool choice_take_csv(const struct grid *view)
{
	const size_t count = view->columns.count;

	if (!state.wanted.csv || !state.any)
		return false;
	if (!count || state.csv.length)
		return true;
	for (size_t i = 0; i < count; i++) {
		text_add(&state.csv, i ? "," : "");
		add_cell(&state.csv, view->columns.items[i].title, false);
	}
	text_add(&state.csv, "\r\n");
	for (size_t i = 0; i < view->cells.count; i++) {
		text_add(&state.csv, i % count ? "," : "");
		add_cell(&state.csv, view->cells.items[i],
			 view->columns.items[i % count].right);
		text_add(&state.csv, i % count == count - 1 ? "\r\n" : "");
	}
	return true;
}

const struct text *grid_csv(void)
{
	return state.any && state.wanted.csv ? &state.csv : NULL;
}

static struct trm_error *no_column(const char *word)
{
	struct text titles = {0};
	struct trm_error *error;

	for (size_t i = 0; i < state.seen.count; i++)
		text_format(&titles, "%s%s", i ? ", " : "", state.seen.strings[i]);
	error = trm_error_create(TRM_ERROR_USAGE, "no column '%s' here: there are %s",
				 word, titles.length ? titles.data : "none");
	text_deinit(&titles);
	return error;
}

struct trm_error *grid_check(void)
{
	if (!state.any)
		return NULL;
	for (size_t i = 0; i < state.columns.count && i < 64; i++)
		if (!(state.found >> i & 1))
			return no_column(state.columns.items[i]);
	if (state.wanted.sort && !state.sorted)
		return no_column(state.wanted.sort);
	return NULL;
}
