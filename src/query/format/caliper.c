/* What cali-query prints, a line a row: tables, lists, and lines of the user's own. */
#include "query/format/caliper.h"
#include "query/format/cells.h"
#include "record/cali.h"

#include <stdio.h>

/* Of columns of tables, unless column-width says more. */
enum { WIDTH_USUAL = 60 };

static struct caliper_column describe(const struct query_result *result, size_t number)
{
	const struct query_result_column *column = &result->columns.items[number];
	const struct query_keys *keys = &result->part->keys;
	struct caliper_column made = {
		.title = column->title, .column = number, .type = QUERY_NOTHING};

	if (column->kind == QUERY_COLUMN_ATTRIBUTE && column->attribute >= 0) {
		made.type = keys->attributes.items[column->attribute].type;
		made.in_tree = keys->attributes.items[column->attribute].in_tree;
	} else if (column->kind == QUERY_COLUMN_PATH) {
		made.type = RECORD_STRING;
		made.in_tree = true;
	} else if (column->kind == QUERY_COLUMN_AGGREGATE) {
		unsigned flags =
			result->query->aggregates.items[column->aggregate].
			operator->flags;

		made.type = flags & QUERY_REAL ? RECORD_DOUBLE : QUERY_NOTHING;
	}
	made.numbers = (int)made.type == QUERY_NOTHING
			       ? column->filled && !column->text
			       : made.type == RECORD_INT || made.type == RECORD_UINT ||
					 made.type == RECORD_DOUBLE;
	return made;
}

/* When each attribute was seen first: of a row the innermost node, those around it, and
 * then its values; by attribute, 0: never. */
static size_t *order_attributes(const struct query_result *result)
{
	const struct query_part *part = result->part;
	size_t *order = memory_allocate_zeroed(part->keys.attributes.count + 1,
					       sizeof(*order)),
	       last = 0;
	bool *met = memory_allocate_zeroed(part->keys.nodes.count, sizeof(*met));

	vector_for_each (&result->rows, row) {
		bool groups = query_is_aggregating(result->query);
		uint32_t key = query_result_key(result, row);

		for (; key && !met[key]; key = part->keys.nodes.items[key].parent) {
			met[key] = true;
			size_t *at = &order[part->keys.nodes.items[key].attribute];

			*at = *at ? *at : ++last;
		}
		if (groups)
			continue;
		const struct query_raw_row *raw = &part->rows.items[row->number];

		for (size_t i = 0; i < raw->cells; i++) {
			size_t *at = &order[part->cells.items[raw->first + i].attribute];

			*at = *at ? *at : ++last;
		}
	}
	free(met);
	return order;
}

struct ordering {
	const struct query_result *result;
	const size_t *order;
};

/* Columns of `*` by their order, those that are listed as they are. */
static int compare_columns(const void *a, const void *b, void *context)
{
	const struct ordering *ordering = context;
	const struct caliper_column *x = a, *y = b;
	const struct query_result_column *left =
		&ordering->result->columns.items[x->column];
	const struct query_result_column *right =
		&ordering->result->columns.items[y->column];

	if (left->starred && right->starred && left->attribute >= 0 &&
	    right->attribute >= 0) {
		size_t first = ordering->order[left->attribute];
		size_t second = ordering->order[right->attribute];

		if (first != second)
			return first < second ? -1 : 1;
	}
	return (x->column > y->column) - (x->column < y->column);
}

void caliper_walk_init(struct caliper_walk *walk, struct query_result *result, bool path)
{
	size_t visible, *columns = query_result_visible(result, &visible);
	size_t *order = order_attributes(result);
	struct ordering ordering = {result, order};

	*walk = (struct caliper_walk){.result = result};
	walk->cells = memory_allocate((result->columns.count + 1) * sizeof(*walk->cells));
	for (size_t i = 0; i < visible; i++)
		if (path || result->columns.items[columns[i]].kind != QUERY_COLUMN_PATH)
			vector_push(&walk->columns, describe(result, columns[i]));
	if (walk->columns.count)
		qsort_r(walk->columns.items, walk->columns.count,
			sizeof(walk->columns.items[0]), compare_columns, &ordering);
	free(order);
	free(columns);
}

void caliper_walk_deinit(struct caliper_walk *walk)
{
	vector_deinit(&walk->columns);
	free(walk->cells);
}

bool caliper_find(const struct caliper_walk *walk, const char *name,
		  struct caliper_column *ret_column)
{
	for (size_t i = 0; i < walk->result->columns.count; i++) {
		if (strcmp(walk->result->columns.items[i].name, name) != 0)
			continue;
		*ret_column = describe(walk->result, i);
		return true;
	}
	return false;
}

void caliper_take_aliases(struct caliper_walk *walk)
{
	const struct query_keys *keys = &walk->result->part->keys;

	vector_for_each (&walk->columns, shown) {
		const struct query_result_column *column =
			&walk->result->columns.items[shown->column];

		if (column->starred && column->attribute >= 0 &&
		    keys->attributes.items[column->attribute].alias)
			shown->title = keys->attributes.items[column->attribute].alias;
	}
}

static void add_double(struct text *out, double d, bool people)
{
	char digits[350];

	snprintf(digits, sizeof(digits), "%.6f", d);
	if (people || strtod(digits, NULL) == d)
		text_add(out, digits);
	else
		record_value_text(out, query_double(d));
}

void caliper_add_value(struct text *out, const struct caliper_column *column,
		       struct record_value value, bool people)
{
	struct record_value number = query_number(value);

	text_add(out, "");
	if (!query_is_there(value))
		return;
	if (value.type == RECORD_DOUBLE)
		add_double(out, value.d, people);
	else if (column->type == RECORD_DOUBLE && query_is_there(number))
		add_double(out, query_as_double(number), people);
	else if (value.type == RECORD_ADDRESS || value.type == RECORD_TYPE)
		cali_add_value(out, value);
	else
		record_value_text(out, value);
}

void caliper_pad(struct text *out, const char *string, size_t width, bool right)
{
	size_t length = strlen(string), half = width / 2 - 1;

	if (right && length < width)
		text_format(out, "%*s", (int)(width - length), "");
	if (length <= width) {
		text_add(out, string);
	} else {
		text_add_bytes(out, string, half);
		text_add(out, "~~");
		text_add(out, string + length - half);
		length = 2 * half + 2;
	}
	text_format(out, "%*s", right || length >= width ? 1 : (int)(width - length) + 1,
		    "");
}

/* What columns may be wide; 0: anything. */
static size_t greatest_width(const struct query *query, size_t usual)
{
	const char *option = query_option(query, "column-width");
	long most = option ? atol(option) : (long)usual;

	return most > 0 ? (size_t)most : 0;
}

size_t caliper_width(const struct query *query, size_t width, size_t usual)
{
	size_t most = greatest_width(query, usual);

	if (most && width > most)
		width = most;
	return width < 4 ? 4 : width;
}

void caliper_cut_cells(struct query_result *result, size_t usual)
{
	size_t most = greatest_width(result->query, usual);

	/* Longer than the column, so that it is seen to be cut. */
	result->most_bytes = most < SIZE_MAX / 8 ? 4 * most : 0;
}

void caliper_add_globals(const struct query_result *result, struct text *out)
{
	struct text value = {0};
	size_t width = 0;

	if (!query_option(result->query, "print-globals"))
		return;
	vector_for_each (&result->part->runs, run)
		vector_for_each (run, global)
			if (strlen(global->name) > width)
				width = strlen(global->name);
	width = width > 24 ? 24 : width < 4 ? 4 : width;
	vector_for_each (&result->part->runs, run) {
		vector_for_each (run, global) {
			value.length = 0;
			text_add(&value, "");
			record_value_text(&value, global->value);
			caliper_pad(out, global->name, width, false);
			text_format(out, ": %s\n", value.data);
		}
	}
	text_deinit(&value);
}

/* How wide each column must be. */
static void measure(struct caliper_walk *walk, struct text *cell)
{
	vector_for_each (&walk->columns, column)
		column->width = strlen(column->title);
	vector_for_each (&walk->result->rows, row) {
		query_result_cells(walk->result, row, walk->cells);
		vector_for_each (&walk->columns, column) {
			cell->length = 0;
			caliper_add_value(cell, column, walk->cells[column->column],
					  true);
			if (cell->length > column->width)
				column->width = cell->length;
		}
	}
	vector_for_each (&walk->columns, column)
		column->width =
			caliper_width(walk->result->query, column->width, WIDTH_USUAL);
}

void query_print_caliper_table(struct query_result *result,
			       const struct query_style *style, struct text *out)
{
	struct caliper_walk walk;
	struct text cell = {0};

	(void)style;
	caliper_cut_cells(result, WIDTH_USUAL);
	caliper_walk_init(&walk, result, true);
	caliper_take_aliases(&walk);
	caliper_add_globals(result, out);
	measure(&walk, &cell);
	vector_for_each (&walk.columns, column)
		caliper_pad(out, column->title, column->width, false);
	text_add(out, "\n");
	vector_for_each (&result->rows, row) {
		query_result_cells(result, row, walk.cells);
		vector_for_each (&walk.columns, column) {
			cell.length = 0;
			caliper_add_value(&cell, column, walk.cells[column->column],
					  true);
			caliper_pad(out, cell.data, column->width, column->numbers);
		}
		text_add(out, "\n");
	}
	text_deinit(&cell);
	caliper_walk_deinit(&walk);
}

void query_print_caliper_expand(struct query_result *result,
				const struct query_style *style, struct text *out)
{
	struct caliper_walk walk;
	struct text cell = {0};

	caliper_walk_init(&walk, result, true);
	vector_for_each (&result->rows, row) {
		const char *comma = "";

		query_result_cells(result, row, walk.cells);
		vector_for_each (&walk.columns, column) {
			if (!query_is_there(walk.cells[column->column]))
				continue;
			cell.length = 0;
			caliper_add_value(&cell, column, walk.cells[column->column],
					  false);
			text_add(out, comma);
			query_add_escaped(out, column->title);
			text_add(out, "=");
			query_add_escaped(out, cell.data);
			comma = ",";
		}
		text_add(out, "\n");
		query_give(style, out);
	}
	text_deinit(&cell);
	caliper_walk_deinit(&walk);
}

/* Adds a field "[WIDTH]NAME" of a format for the row at hand. */
static void add_field(const struct caliper_walk *walk, const char *field, size_t size,
		      struct text *out)
{
	char *name = memory_allocate(size + 1), *begin = name, *bracket;
	struct caliper_column column;
	size_t before = out->length, width = 0;

	memcpy(name, field, size);
	name[size] = '\0';
	if (*name == '[' && (bracket = strchr(name, ']'))) {
		width = strtoul(name + 1, NULL, 10);
		begin = bracket + 1;
	}
	if (caliper_find(walk, begin, &column))
		caliper_add_value(out, &column, walk->cells[column.column], false);
	free(name);
	width = width > 1000 ? 1000 : width;
	if (out->length - before < width)
		text_format(out, "%*s", (int)(width - (out->length - before)), "");
}

void query_print_caliper_format(struct query_result *result,
				const struct query_style *style, struct text *out)
{
	const char *format = query_option(result->query, "format");
	const char *title = query_option(result->query, "title");
	struct caliper_walk walk;

	caliper_walk_init(&walk, result, true);
	if (title && !style->continued)
		text_format(out, "%s\n", title);
	vector_for_each (&result->rows, row) {
		const char *at = format ? format : "", *end;

		query_result_cells(result, row, walk.cells);
		for (; (end = strchr(at, '%')); at = end + (*end != '\0')) {
			text_add_bytes(out, at, (size_t)(end - at));
			at = end + 1;
			end = strchrnul(at, '%');
			add_field(&walk, at, (size_t)(end - at), out);
		}
		text_format(out, "%s\n", at);
		query_give(style, out);
	}
	caliper_walk_deinit(&walk);
}
