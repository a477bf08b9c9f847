/* The tables that cali-query prints. */
#include "record/model.h"
#include "record/value.h"
#include "query/format/caliper.h"

#include <stdlib.h>

/* Of columns, unless column-width is given. */
enum { WIDTH_USUAL = 60 };

enum { NO_ATTRIBUTE = UINT32_MAX };

struct table_column {
	const char *name, *title;
	record_attribute attribute; /* or NO_ATTRIBUTE, as long as no record has it */
	bool path;                  /* all nested attributes, instead of one */
	bool shown, descending;     /* columns that are only for sorting are not shown */
	size_t width;
	/* By node of the model: enum table_known. */
	struct VECTOR(unsigned char) known;
};

/* State of a path in a column. */
enum table_known { TABLE_UNKNOWN, TABLE_LACKS, TABLE_HAS };

/* A value, or where a path has it. */
struct table_cell {
	record_node node;
	struct record_value value; /* QUERY_NOTHING: no cell, if there is no node */
};

struct table_row {
	size_t first, count; /* in table.cells */
};

struct row_table {
	struct caliper_printing printing;
	struct VECTOR(struct table_column) columns;
	struct VECTOR(bool) is_column; /* by attribute: a column shows it already */
	struct VECTOR(struct table_cell) cells;
	struct VECTOR(struct table_row) rows;
	struct text text;
};

/* The name that the query gives what ORDER BY names. */
static const char *ordered_name(const struct query *query,
				const struct query_order *order)
{
	return order->column < query->columns.count
		       ? query->columns.items[order->column].name
		       : order->name;
}

static void add_column(struct row_table *table, struct table_column column)
{
	column.width = strlen(column.title);
	vector_push(&table->columns, column);
}

static void table_begin(struct caliper_printing *printing)
{
	struct row_table *table = (struct row_table *)printing;
	const struct query *query = printing->query;

	vector_for_each (&query->orders, order)
		add_column(table,
			   (struct table_column){
				   .name = ordered_name(query, order),
				   .title = "",
				   .attribute = NO_ATTRIBUTE,
				   .path = query->columns.items[order->column].kind ==
					   QUERY_COLUMN_PATH,
				   .descending = order->descending,
			   });
	if (printing->selection != CALIPER_LIST)
		return;
	vector_for_each (&query->columns, column)
		if (!column->hidden)
			add_column(table,
				   (struct table_column){
					   .name = column->name,
					   .title = column->alias ? column->alias
								  : column->name,
					   .attribute = NO_ATTRIBUTE,
					   .path = column->kind == QUERY_COLUMN_PATH,
					   .shown = true,
				   });
}

/* A column for an attribute that a record has, where SELECT lists none. */
static void see_attribute(struct row_table *table, record_attribute id)
{
	const struct caliper_attribute *attribute =
		caliper_attribute(&table->printing, id);

	while (table->is_column.count <= id)
		vector_push(&table->is_column, false);
	if (table->is_column.items[id])
		return;
	table->is_column.items[id] = true;
	if (attribute->hidden ||
	    (attribute->global && !table->printing.query->shows_globals))
		return;
	bool own = strcmp(attribute->title, attribute->name) != 0;

	add_column(table, (struct table_column){
				  .name = attribute->name,
				  .title = own || !attribute->alias ? attribute->title
								    : attribute->alias,
				  .attribute = id,
				  .shown = true,
			  });
}

static void see_attributes(struct row_table *table, const struct caliper_record *record)
{
	const struct record_model *model = table->printing.model;

	for (size_t i = 0; i < record->key_count; i++)
		see_attribute(table, record->keys[i].attribute);
	for (size_t i = 0; i < record->node_count; i++)
		for (record_node node = record->nodes[i]; node;
		     node = record_node_parent(model, node))
			see_attribute(table, record_node_pair(model, node).attribute);
	for (size_t i = 0; i < record->pair_count; i++)
		see_attribute(table, record->pairs[i].attribute);
}

static bool look_along(const struct row_table *table, record_node node,
		       const struct table_column *column)
{
	const struct caliper_printing *printing = &table->printing;

	for (; node; node = record_node_parent(printing->model, node)) {
		record_attribute id = record_node_pair(printing->model, node).attribute;

		if (column->path ? caliper_attribute(printing, id)->nested
				 : id == column->attribute)
			return true;
	}
	return false;
}

static const char *text_of(struct row_table *table, const struct table_column *column,
			   const struct table_cell *cell);

static void widen_column(struct row_table *table, struct table_column *column,
			 const struct table_cell *cell)
{
	text_of(table, column, cell);
	if (table->text.length > column->width)
		column->width = table->text.length;
}

/* Whether a path has something for the column, which gets as wide as that. */
static bool has_attribute(struct row_table *table, record_node node,
			  struct table_column *column)
{
	const struct table_cell cell = {.node = node, .value = query_nothing()};

	while (column->known.count <= node)
		vector_push(&column->known, TABLE_UNKNOWN);
	if (column->known.items[node] == TABLE_UNKNOWN) {
		bool has = look_along(table, node, column);

		column->known.items[node] = has ? TABLE_HAS : TABLE_LACKS;
		if (has)
			widen_column(table, column, &cell);
	}
	return column->known.items[node] == TABLE_HAS;
}

/* Digits of a number that is not negative, and a place for its sign. */
static size_t digits_of(uint64_t number)
{
	size_t digits = 2;

	while (number /= 10)
		digits++;
	return digits;
}

static void widen_for_value(struct row_table *table, struct table_column *column,
			    const struct table_cell *cell)
{
	/* Most are no wider than others were. */
	if (cell->value.type == RECORD_UINT && digits_of(cell->value.u) <= column->width)
		return;
	widen_column(table, column, cell);
}

static bool find_pair(struct row_table *table, const struct record_pair *pairs,
		      size_t count, const struct table_column *column,
		      struct table_cell *cell)
{
	for (size_t i = 0; i < count && !column->path; i++) {
		if (pairs[i].attribute != column->attribute)
			continue;
		cell->value = caliper_keep(&table->printing, pairs[i]);
		return true;
	}
	return false;
}

/* The first of what the record has for the column. */
static struct table_cell find_cell(struct row_table *table,
				   const struct caliper_record *record,
				   struct table_column *column)
{
	struct table_cell cell = {.value = query_nothing()};

	if (!column->path && column->attribute == NO_ATTRIBUTE)
		return cell;
	if (find_pair(table, record->keys, record->key_count, column, &cell))
		return cell;
	for (size_t i = 0; i < record->node_count; i++) {
		if (!has_attribute(table, record->nodes[i], column))
			continue;
		cell.node = record->nodes[i];
		return cell;
	}
	find_pair(table, record->pairs, record->pair_count, column, &cell);
	return cell;
}

/* Makes the text of a cell in table.text. */
static const char *text_of(struct row_table *table, const struct table_column *column,
			   const struct table_cell *cell)
{
	struct text *text = &table->text;

	text->length = 0;
	text_add(text, "");
	if (cell->node && column->path)
		caliper_add_nested(&table->printing, cell->node, true, text);
	else if (cell->node)
		caliper_add_path(&table->printing, cell->node, column->attribute, true,
				 text);
	else if (query_is_there(cell->value))
		caliper_add_value(text, cell->value, true);
	return text->data;
}

static void table_record(struct caliper_printing *printing,
			 const struct caliper_record *record)
{
	struct row_table *table = (struct row_table *)printing;
	struct table_row row = {.first = table->cells.count};
	bool any = false;

	if (printing->selection != CALIPER_LIST)
		see_attributes(table, record);
	vector_for_each (&table->columns, column) {
		if (!column->path && column->attribute == NO_ATTRIBUTE &&
		    !caliper_attribute_find(printing, column->name, &column->attribute))
			column->attribute = NO_ATTRIBUTE;
		struct table_cell cell = find_cell(table, record, column);

		vector_push(&table->cells, cell);
		if (!cell.node && !query_is_there(cell.value))
			continue;
		if (!cell.node)
			widen_for_value(table, column, &cell);
		any |= cell.node || cell.value.type != RECORD_STRING || cell.value.size;
	}
	row.count = table->cells.count - row.first;
	if (any)
		vector_push(&table->rows, row);
	else
		table->cells.count = row.first;
}

/* A row with what it is ordered by. */
struct ordered {
	size_t row;
	struct record_value value;
	char *text; /* of a path; or NULL */
};

static int compare_rising(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	bool left = query_is_there(x->value), right = query_is_there(y->value);
	int order = left && right ? query_compare(x->value, y->value)
				  : (int)left - (int)right;

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int compare_falling(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	bool left = query_is_there(x->value), right = query_is_there(y->value);
	int order = left && right ? query_compare(y->value, x->value)
				  : (int)right - (int)left;

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static struct ordered ordered_row(struct row_table *table, size_t row,
				  const struct table_column *column)
{
	size_t number = (size_t)(column - table->columns.items);
	const struct table_row *cells = &table->rows.items[row];
	struct ordered made = {.row = row, .value = query_nothing()};

	if (number >= cells->count)
		return made;
	const struct table_cell *cell = &table->cells.items[cells->first + number];

	made.value = cell->value;
	if (!cell->node)
		return made;
	made.text = memory_copy_string(text_of(table, column, cell));
	made.value = record_string(made.text);
	if (!column->path &&
	    caliper_is_number(
		    caliper_attribute(&table->printing, column->attribute)->type))
		made.value = query_parse_number(made.text);
	return made;
}

/* Rows are ordered by one column after the other, the first one last. */
static void order_rows(struct row_table *table, const struct table_column *column)
{
	size_t count = table->rows.count;
	struct ordered *order = memory_allocate((count + 1) * sizeof(*order));
	struct table_row *rows = memory_allocate((count + 1) * sizeof(*rows));

	for (size_t i = 0; i < count; i++) {
		order[i] = ordered_row(table, i, column);
		rows[i] = table->rows.items[i];
	}
	qsort(order, count, sizeof(*order),
	      column->descending ? compare_falling : compare_rising);
	for (size_t i = 0; i < count; i++) {
		table->rows.items[i] = rows[order[i].row];
		free(order[i].text);
	}
	free(order);
	free(rows);
}

static bool is_number(const struct row_table *table, const struct table_column *column)
{
	return column->attribute != NO_ATTRIBUTE &&
	       caliper_is_number(
		       caliper_attribute(&table->printing, column->attribute)->type);
}

static void print_row(struct row_table *table, const struct table_row *row)
{
	struct text *out = table->printing.out;

	for (size_t i = 0; i < row->count; i++) {
		const struct table_column *column = &table->columns.items[i];

		if (!column->shown)
			continue;
		caliper_pad(out,
			    text_of(table, column, &table->cells.items[row->first + i]),
			    column->width, is_number(table, column));
	}
	text_add(out, "\n");
}

static int compare_names(const void *a, const void *b)
{
	const struct table_column *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Run metadata are one row, whose columns come by their names. */
static void order_columns(struct row_table *table)
{
	size_t first = table->printing.query->orders.count;
	struct table_column *columns = table->columns.items + first;

	if (!table->printing.query->shows_globals || table->rows.count != 1 ||
	    table->printing.selection == CALIPER_LIST || table->columns.count == first)
		return;
	qsort(columns, table->columns.count - first, sizeof(*columns), compare_names);
	for (size_t i = first; i < table->columns.count; i++) {
		const struct record_pair *found = NULL;

		vector_for_each (&table->printing.globals, global)
			if (global->attribute == table->columns.items[i].attribute)
				found = global;
		table->cells.items[table->rows.items[0].first + i] = (struct table_cell){
			.value = found ? found->value : query_nothing()};
	}
}

static void table_end(struct caliper_printing *printing)
{
	struct row_table *table = (struct row_table *)printing;

	order_columns(table);
	for (size_t i = printing->query->orders.count; i-- > 0;)
		order_rows(table, &table->columns.items[i]);
	caliper_add_globals(printing, printing->out);
	vector_for_each (&table->columns, column) {
		column->width =
			caliper_width(printing->query, column->width, WIDTH_USUAL);
		if (column->shown)
			caliper_pad(printing->out, column->title, column->width, false);
	}
	text_add(printing->out, "\n");
	vector_for_each (&table->rows, row) {
		print_row(table, row);
		caliper_give(printing);
	}
	vector_for_each (&table->columns, column)
		vector_deinit(&column->known);
	vector_deinit(&table->columns);
	vector_deinit(&table->is_column);
	vector_deinit(&table->cells);
	vector_deinit(&table->rows);
	text_deinit(&table->text);
}

const struct caliper_format caliper_table = {
	.size = sizeof(struct row_table),
	.orders = true,
	.begin = table_begin,
	.record = table_record,
	.end = table_end,
};
