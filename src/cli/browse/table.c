/* The table of functions. */
#include "cli/browse/table.h"

#include "base/array.h"
#include "report/flame/columns.h"
#include "report/flame/compare.h"
#include "report/flame/draw.h"
#include "report/text/cells.h"

#include <string.h>

enum { BAR = 8, NUMBER = 16, MODULE_MAX = 24, NAME_MIN = 24 };

struct table_view {
	struct browse_view view;
	const struct flame_column *columns[FLAME_COLUMNS_MAX]; /* those with numbers */
	size_t column_count;
	uint64_t totals[FLAME_COLUMNS_MAX];
	size_t sort;    /* one of them; column_count: the name, + 1: how they changed */
	size_t share;   /* the one whose shares and changes are shown */
	uint32_t *same; /* of each function that of the other profile; NULL: none */
	bool reversed;  /* the least first */
	struct text filter;
	uint32_t module;     /* only of this one; REPORT_NONE: of all */
	size_t module_width; /* columns, with the gap behind it */
	uint32_t *rows;      /* functions, in order; view.count of them */
};

static const struct table_view *table_of(const struct browse_view *view)
{
	return (const struct table_view *)view;
}

static uint64_t value_of(const struct table_view *table, size_t column, uint32_t row)
{
	return table->columns[column]->get(&table->view.profile->functions.items[row]);
}

/* The number of a function in the other profile. */
static uint64_t value_before(const struct table_view *table, size_t column, uint32_t row)
{
	const uint32_t same = table->same[row];

	return same == REPORT_NONE ? 0
				   : table->columns[column]->get(
					     &table->view.other->functions.items[same]);
}

/* By how much a function grew. */
static int64_t growth_of(const struct table_view *table, uint32_t row)
{
	return (int64_t)(value_of(table, table->share, row) -
			 value_before(table, table->share, row));
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct table_view *table = context;
	const struct report_function *functions = table->view.profile->functions.items;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = 0;

	if (table->sort < table->column_count)
		order = compare_numbers(value_of(table, table->sort, b),
					value_of(table, table->sort, a));
	else if (table->sort == table->column_count)
		order = strcmp(functions[a].name, functions[b].name);
	else
		order = compare_numbers(growth_of(table, b), growth_of(table, a));
	if (!order)
		order = compare_numbers(a, b);
	return table->reversed ? -order : order;
}

static bool has_numbers(const struct table_view *table, uint32_t row)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (value_of(table, i, row))
			return true;
	return false;
}

static bool is_wanted(const struct table_view *table, uint32_t row)
{
	const struct report_profile *profile = table->view.profile;
	const struct report_function *function = &profile->functions.items[row];
	const char *text = table->filter.length ? table->filter.data : NULL;

	if (table->module != REPORT_NONE && function->module != table->module)
		return false;
	if (text && !strcasestr(function->name, text) &&
	    !strcasestr(profile->modules.items[function->module].name, text))
		return false;
	return has_numbers(table, row);
}

/* Lists the rows that are wanted, in order; the cursor stays on its function. */
static void arrange_rows(struct table_view *table)
{
	struct browse_view *view = &table->view;
	const uint32_t chosen =
		view->at < view->count ? table->rows[view->at] : REPORT_NONE;

	view->count = view->at = view->top = 0;
	for (size_t i = 0; i < view->profile->functions.count; i++)
		if (is_wanted(table, (uint32_t)i))
			table->rows[view->count++] = (uint32_t)i;
	if (view->count)
		qsort_r(table->rows, view->count, sizeof(*table->rows), compare_rows,
			table);
	for (size_t i = 0; i < view->count; i++)
		if (table->rows[i] == chosen)
			view->at = i;
}

static const char *sort_name(const struct table_view *table)
{
	if (table->sort > table->column_count)
		return "change";
	return table->sort < table->column_count ? table->columns[table->sort]->name
						 : "name";
}

static void name_table(struct table_view *table)
{
	struct text *title = &table->view.title;

	title->length = 0;
	text_add_grouped(title, table->view.count);
	text_format(title, " function%s by %s%s", table->view.count == 1 ? "" : "s",
		    sort_name(table), table->reversed ? ", least first" : "");
	if (table->module != REPORT_NONE)
		text_format(title, ", of %s",
			    table->view.profile->modules.items[table->module].name);
	if (table->filter.length)
		text_format(title, ", with \"%s\"", table->filter.data);
}

/* How many columns of numbers fit beside a name; writes whether the module does. */
static size_t fitting_columns(const struct table_view *table, size_t width,
			      bool *ret_module)
{
	const size_t fixed = 9 + BAR + NAME_MIN + (table->same ? BROWSE_CHANGE : 0);
	size_t left = width > fixed ? width - fixed : 0, count;

	*ret_module = left >= table->module_width + NUMBER;
	left -= *ret_module ? table->module_width : 0;
	count = left / NUMBER;
	return count < table->column_count ? count : table->column_count;
}

/* The columns that are shown begin with the one of the order where not all fit. */
static size_t shown_column(const struct table_view *table, size_t index, size_t fitting)
{
	const size_t first = table->share;

	return fitting == table->column_count || first < fitting
		       ? index
		       : first - (fitting - 1) + index;
}

/* "time with callees" stands beside "time". */
static const char *title_of(const struct flame_column *column)
{
	static const char time[] = "time with";

	return strncmp(column->name, time, strlen(time)) ? column->name
							 : column->name + 5;
}

/* Adds a title at the right of a column; that of the order has a mark. */
static void add_title(const struct table_view *table, size_t column, struct text *line)
{
	enum { TITLE_MAX = 13 };
	const bool unicode = table->view.unicode;
	const char *up = unicode ? "\u25b2" : "^", *down = unicode ? "\u25bc" : "v";
	const char *mark = column != table->sort ? "" : table->reversed ? up : down;
	struct text title = {0};

	text_format(&title, "%.*s%s%s", TITLE_MAX, title_of(table->columns[column]),
		    *mark && !unicode ? " " : "", mark);
	text_format(line, "%*s%s", (int)(NUMBER - cells_of(title.data)), "", title.data);
	text_deinit(&title);
}

static bool shows_change(const struct table_view *table, size_t width)
{
	return table->same && width >= 40;
}

static void table_head(const struct browse_view *view, size_t width, struct text *out)
{
	const struct table_view *table = table_of(view);
	bool module;
	const size_t fitting = fitting_columns(table, width, &module);
	struct text line = {0};

	text_format(&line, "  Share ");
	if (width >= 9 + BAR + NAME_MIN)
		text_format(&line, " %*s", BAR, "");
	for (size_t i = 0; i < fitting; i++)
		add_title(table, shown_column(table, i, fitting), &line);
	if (shows_change(table, width))
		text_format(&line, "%*s", BROWSE_CHANGE,
			    table->sort > table->column_count ? "change v" : "change");
	text_add(&line, "  ");
	if (module)
		text_format(&line, "%-*s", (int)table->module_width, "Module");
	text_format(&line, "Function%s", table->sort == table->column_count ? " v" : "");
	cells_add(out, line.data, width);
	text_deinit(&line);
}

static void table_row(const struct browse_view *view, size_t row, size_t width,
		      struct text *out)
{
	const struct table_view *table = table_of(view);
	const uint32_t index = table->rows[row];
	const struct report_function *function = &view->profile->functions.items[index];
	const size_t share = table->share;
	const bool change = shows_change(table, width);
	bool module;
	const size_t fitting = fitting_columns(table, width, &module);
	const bool bar = width >= 9 + BAR + NAME_MIN;
	size_t used = 8 + (bar ? 1 + BAR : 0) + fitting * NUMBER + 2 +
		      (module ? table->module_width : 0) + (change ? BROWSE_CHANGE : 0);

	browse_add_share(view, value_of(table, share, index), table->totals[share],
			 bar ? BAR : 0, out);
	for (size_t i = 0; i < fitting; i++) {
		const size_t column = shown_column(table, i, fitting);
		struct text number = {0};

		flame_add_value(&number, value_of(table, column, index),
				table->columns[column]->unit);
		text_format(out, "%*s", NUMBER, number.data);
		text_deinit(&number);
	}
	if (change)
		browse_add_change(value_of(table, share, index),
				  value_before(table, share, index),
				  browse_share_colour(value_of(table, share, index),
						      table->totals[share]),
				  out);
	text_add(out, "  ");
	if (module) {
		cells_add(out, view->profile->modules.items[function->module].name,
			  table->module_width - 1);
		text_add(out, " ");
	}
	cells_add(out, function->name, width > used ? width - used : 0);
	text_add(out, BROWSE_PLAIN);
}

static void sort_by(struct table_view *table, size_t column)
{
	table->sort = column;
	if (column < table->column_count)
		table->share = column;
	table->reversed = false;
	table->view.at = table->view.count;
}

static bool table_key(struct browse_view *view, int key)
{
	struct table_view *table = (struct table_view *)view;
	const size_t columns = table->column_count + (table->same ? 2 : 1);

	switch (key) {
	case '>':
		sort_by(table, (table->sort + 1) % columns);
		break;
	case '<':
		sort_by(table, (table->sort + columns - 1) % columns);
		break;
	case 'r':
		table->reversed = !table->reversed;
		break;
	case 'd':
		if (table->module != REPORT_NONE)
			table->module = REPORT_NONE;
		else if (view->at < view->count)
			table->module =
				view->profile->functions.items[table->rows[view->at]]
					.module;
		break;
	default:
		return false;
	}
	arrange_rows(table);
	name_table(table);
	return true;
}

static void table_filter(struct browse_view *view, const char *text)
{
	struct table_view *table = (struct table_view *)view;

	table->filter.length = 0;
	text_add(&table->filter, text);
	arrange_rows(table);
	name_table(table);
}

static uint32_t table_function(const struct browse_view *view, size_t row)
{
	return table_of(view)->rows[row];
}

static void table_destroy(struct browse_view *view)
{
	struct table_view *table = (struct table_view *)view;

	text_deinit(&table->filter);
	free(table->same);
	free(table->rows);
	browse_view_free(view);
}

static const struct browse_ops table_ops = {
	.keys = "Enter code  / filter  < > order  r reverse  d module  c calls  t tree  "
		"h help  q quit",
	.head = table_head,
	.row = table_row,
	.key = table_key,
	.filter = table_filter,
	.function = table_function,
	.destroy = table_destroy,
};

struct trm_error *browse_table_create(const struct browser *browser,
				      struct browse_view **ret_view)
{
	const struct report_profile *profile = browser->profile;
	const struct flame_column *main_column = flame_column_main(profile);
	struct table_view *table;

	if (!main_column)
		return trm_error_create(TRM_ERROR_USAGE,
					"nothing was counted: there is nothing to show");
	table = (struct table_view *)browse_view_create(browser, &table_ops,
							sizeof(*table));
	for (const struct flame_column *column = flame_columns; column->name; column++) {
		if (!flame_column_is_used(profile, column))
			continue;
		if (column == main_column)
			table->sort = table->share = table->column_count;
		vector_for_each (&profile->functions, function)
			table->totals[table->column_count] += column->get(function);
		table->columns[table->column_count++] = column;
	}
	if (browser->other)
		table->same = flame_match_functions(profile, browser->other);
	table->module = REPORT_NONE;
	table->module_width = strlen("Module") + 1;
	vector_for_each (&profile->modules, module) {
		const size_t needed = cells_of(module->name) + 1;

		if (module->selected && needed > table->module_width)
			table->module_width = needed < MODULE_MAX ? needed : MODULE_MAX;
	}
	table->rows =
		memory_allocate((profile->functions.count + 1) * sizeof(*table->rows));
	arrange_rows(table);
	name_table(table);
	*ret_view = &table->view;
	return NULL;
}
