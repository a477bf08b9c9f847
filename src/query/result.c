#include "query/result.h"

#include "query/format_type.h"
#include "query/match.h"
#include "record/value.h"

#include <stdio.h>
#include <stdlib.h>

static struct query_result_column *add_column(struct query_result *result,
					      const struct query_column *as)
{
	struct query_result_column *column = vector_add(&result->columns);

	column->kind = as->kind;
	column->name = as->name;
	column->title = memory_copy_string(as->alias ? as->alias : as->name);
	column->unit = as->unit;
	column->attribute = -1;
	column->next = -1;
	column->aggregate = as->aggregate;
	column->hidden = as->hidden;
	return column;
}

static bool is_listed(const struct query *query, enum query_column_kind kind,
		      const char *name)
{
	vector_for_each (&query->columns, column)
		if (column->kind == kind && !column->hidden &&
		    !strcmp(column->name, name))
			return true;
	return false;
}

static bool is_grouped(const struct query *query, const struct query_attribute *attribute)
{
	if (!query_is_aggregating(query))
		return true;
	if (query->grouping == QUERY_GROUP_USUAL)
		return attribute->in_tree;
	if (query->groups_path && attribute->nested)
		return true;
	vector_for_each (&query->keys, key)
		if (query_is_key(*key, attribute))
			return true;
	return false;
}

static char path_name[] = "path";

/* The columns of `*`: all attributes that are not listed by themselves. */
static void add_all(struct query_result *result)
{
	const struct query *query = result->query;
	const struct query_keys *keys = &result->part->keys;
	bool path = query->format->has_path || (query->groups_path && !query->caliper),
	     has_path = false;

	vector_for_each (&keys->attributes, attribute)
		has_path |= path && attribute->nested;
	if (has_path && !is_listed(query, QUERY_COLUMN_PATH, "path"))
		add_column(result, &(struct query_column){.kind = QUERY_COLUMN_PATH,
							  .name = path_name});
	vector_for_each (&keys->attributes, attribute) {
		struct query_column column = {.kind = QUERY_COLUMN_ATTRIBUTE};

		if (((attribute->hidden || attribute->global) && !query->shows_all) ||
		    (path && attribute->nested) || !is_grouped(query, attribute) ||
		    is_listed(query, QUERY_COLUMN_ATTRIBUTE, attribute->name))
			continue;
		/* Names of the keys live as long as the result. */
		column.name = keys->names.strings[attribute - keys->attributes.items];
		add_column(result, &column)->starred = true;
	}
	for (size_t i = 0; i < query->aggregates.count; i++) {
		const struct query_aggregate *aggregate = &query->aggregates.items[i];

		if (query->selects && aggregate->shown &&
		    !is_listed(query, QUERY_COLUMN_AGGREGATE, aggregate->name))
			add_column(result,
				   &(struct query_column){.kind = QUERY_COLUMN_AGGREGATE,
							  .name = aggregate->name,
							  .aggregate = i});
	}
}

/* The attributes of a class, each a column. */
static void add_class(struct query_result *result, const struct query_column *as)
{
	const struct query_keys *keys = &result->part->keys;

	for (size_t i = 0; i < keys->attributes.count; i++) {
		struct query_column column = *as;

		column.name = keys->names.strings[i];
		if (query_is_key(as->name, &keys->attributes.items[i]))
			add_column(result, &column);
	}
}

/* The attribute that a column shows: the one of its name, or else name.ns. */
static int64_t attribute_of(const struct query_keys *keys, const char *name)
{
	int64_t near = -1;

	for (size_t i = 0; i < keys->attributes.count; i++) {
		if (!strcmp(keys->attributes.items[i].name, name))
			return (int64_t)i;
		if (query_is_name(name, keys->attributes.items[i].name))
			near = (int64_t)i;
	}
	return near;
}

enum {
	/* Longer keys are not walked along for each row, */
	WALKED_MAX = 64,
	/* unless so much would have to be kept for that. */
	CHAINED_MAX = 1 << 28,
};

/* Whether its values are found in keys alone. */
static bool is_chained(const struct query_result_column *column, const bool *in_keys,
		       const bool *in_cells)
{
	if (column->kind == QUERY_COLUMN_PATH)
		return true;
	return column->attribute >= 0 && in_keys[column->attribute] &&
	       !in_cells[column->attribute];
}

static void make_chains(struct query_result *result, const bool *in_keys,
			const bool *in_cells)
{
	const struct query_keys *keys = &result->part->keys;
	size_t left = CHAINED_MAX / keys->nodes.count;

	vector_for_each (&result->columns, column) {
		bool path = column->kind == QUERY_COLUMN_PATH;

		if (keys->deepest > WALKED_MAX && left &&
		    is_chained(column, in_keys, in_cells)) {
			column->chain = query_chain_create(
				keys, path ? QUERY_CHAIN_NESTED : column->attribute);
			left--;
		} else {
			result->keyed |= path || (column->attribute >= 0 &&
						  in_keys[column->attribute]);
		}
	}
}

static void find_values(struct query_result *result)
{
	const struct query_part *part = result->part;
	size_t count = part->keys.attributes.count;
	bool *in_keys = memory_allocate_zeroed(count + 1, sizeof(*in_keys));
	bool *in_cells = memory_allocate_zeroed(count + 1, sizeof(*in_cells));

	for (size_t key = 1; key < part->keys.nodes.count; key++)
		in_keys[part->keys.nodes.items[key].attribute] = true;
	vector_for_each (&part->cells, cell)
		in_cells[cell->attribute] = true;
	make_chains(result, in_keys, in_cells);
	free(in_keys);
	free(in_cells);
}

static void make_columns(struct query_result *result)
{
	const struct query *query = result->query;

	vector_for_each (&query->columns, column) {
		vector_push(&result->moved, result->columns.count);
		if (column->kind == QUERY_COLUMN_ALL)
			add_all(result);
		else if (query_is_class(column->name))
			add_class(result, column);
		else
			add_column(result, column);
	}
	for (size_t i = 0; i < result->part->keys.attributes.count; i++)
		vector_push(&result->column_of, -1);
	for (size_t i = 0; i < result->columns.count; i++) {
		struct query_result_column *column = &result->columns.items[i];

		vector_add(&result->joined);
		vector_add(&result->rounded);
		if (column->kind != QUERY_COLUMN_ATTRIBUTE)
			continue;
		column->attribute = attribute_of(&result->part->keys, column->name);
		if (column->attribute < 0)
			continue;
		int *first = &result->column_of.items[column->attribute];

		column->next = *first;
		*first = (int)i;
	}
	vector_for_each (&query->havings, test)
		result->columns.items[result->moved.items[test->column]].tested = true;
	find_values(result);
}

/* Puts the value into a cell; several values become "a/b/c". */
static void put_cell(struct query_result *result, struct record_value *cells,
		     size_t column, struct record_value value)
{
	struct text *joined = &result->joined.items[column];

	if (!query_is_there(cells[column])) {
		cells[column] = value;
		joined->length = 0;
		return;
	}
	if (!joined->length)
		record_value_text(joined, cells[column]);
	text_add(joined, "/");
	record_value_text(joined, value);
	cells[column] = (struct record_value){
		.type = RECORD_STRING, .size = joined->length, .bytes = joined->data};
}

static void put_attribute(struct query_result *result, struct record_value *cells,
			  uint32_t attribute, struct record_value value)
{
	for (int i = result->column_of.items[attribute]; i >= 0;
	     i = result->columns.items[i].next)
		if (!result->columns.items[i].chain)
			put_cell(result, cells, (size_t)i, value);
}

static void put_key(struct query_result *result, uint32_t key, struct record_value *cells)
{
	const struct query_keys *keys = &result->part->keys;

	result->chain.count = 0;
	for (; key && result->keyed; key = keys->nodes.items[key].parent)
		vector_push(&result->chain, key);
	while (result->chain.count) {
		const struct query_key_node *node =
			&keys->nodes.items[result->chain.items[--result->chain.count]];

		put_attribute(result, cells, node->attribute, node->value);
		if (!keys->attributes.items[node->attribute].nested)
			continue;
		for (size_t i = 0; i < result->columns.count; i++)
			if (result->columns.items[i].kind == QUERY_COLUMN_PATH &&
			    !result->columns.items[i].chain)
				put_cell(result, cells, i, node->value);
	}
}

static void put_results(struct query_result *result, size_t group,
			struct record_value *cells)
{
	for (size_t i = 0; i < result->columns.count; i++) {
		const struct query_result_column *column = &result->columns.items[i];

		if (column->kind != QUERY_COLUMN_AGGREGATE)
			continue;
		const struct query_aggregate *aggregate =
			&result->query->aggregates.items[column->aggregate];
		struct query_outcome outcome = {
			.aggregate = aggregate,
			.total = result->part->totals +
				 result->part->offsets.items[column->aggregate],
			.keys = &result->part->keys,
		};

		cells[i] = aggregate->op->value(
			query_part_state(result->part, group, column->aggregate),
			&outcome);
		result->rounded.items[i] |= outcome.rounded;
	}
}

/* How far the joined text of a path column is needed; otherwise it is enough that there
 * is a value. */
enum texts { TEXTS_NONE, TEXTS_TESTED, TEXTS_SHOWN };

static bool needs_text(const struct query_result_column *column, enum texts texts)
{
	return texts == TEXTS_SHOWN ? !column->unread
				    : texts == TEXTS_TESTED && column->tested;
}

/* The value of a column with a chain for a key. */
static struct record_value chain_value(struct query_result *result, size_t number,
				       uint32_t key, enum texts texts)
{
	const struct query_result_column *column = &result->columns.items[number];
	const struct query_keys *keys = &result->part->keys;
	struct text *cut = &result->joined.items[number];
	const struct text *text = cut;
	uint32_t holder = column->chain->holder[key];

	if (!holder)
		return query_nothing();
	if (column->chain->depth[holder] == 1)
		return keys->nodes.items[holder].value;
	if (!needs_text(column, texts))
		return record_string("");
	cut->length = 0;
	if (texts == TEXTS_SHOWN && result->most_bytes)
		query_chain_add_cut(column->chain, keys, holder, result->most_bytes, cut);
	else
		text = query_chain_text(column->chain, keys, holder);
	return (struct record_value){
		.type = RECORD_STRING, .size = text->length, .bytes = text->data};
}

uint32_t query_result_key(const struct query_result *result, const struct query_row *row)
{
	return query_is_aggregating(result->query)
		       ? result->part->groups.items[row->number]
		       : result->part->rows.items[row->number].key;
}

static void fill_cells(struct query_result *result, const struct query_row *row,
		       enum texts texts, struct record_value *cells)
{
	const struct query_part *part = result->part;
	uint32_t key = query_result_key(result, row);

	for (size_t i = 0; i < result->columns.count; i++)
		cells[i] = result->columns.items[i].chain
				   ? chain_value(result, i, key, texts)
				   : query_nothing();
	put_key(result, key, cells);
	if (query_is_aggregating(result->query)) {
		put_results(result, row->number, cells);
		return;
	}
	const struct query_raw_row *raw = &part->rows.items[row->number];

	for (size_t i = 0; i < raw->cells; i++) {
		const struct query_cell *cell = &part->cells.items[raw->first + i];

		put_attribute(result, cells, cell->attribute, cell->value);
	}
}

void query_result_cells(struct query_result *result, const struct query_row *row,
			struct record_value *cells)
{
	fill_cells(result, row, TEXTS_SHOWN, cells);
}

size_t *query_result_visible(const struct query_result *result, size_t *ret_count)
{
	size_t *visible = memory_allocate(result->columns.count * sizeof(*visible));

	*ret_count = 0;
	for (size_t i = 0; i < result->columns.count; i++)
		if (!result->columns.items[i].hidden)
			visible[(*ret_count)++] = i;
	return visible;
}

static bool holds_condition(const struct query_result *result, int index,
			    const struct record_value *cells)
{
	const struct query *query = result->query;
	const struct query_condition *condition = &query->conditions.items[index];

	switch (condition->kind) {
	case QUERY_TEST: {
		const struct query_test *test = &query->havings.items[condition->left];

		return query_test_passes(test, cells[result->moved.items[test->column]]);
	}
	case QUERY_NOT:
		return !holds_condition(result, condition->left, cells);
	case QUERY_AND:
		return holds_condition(result, condition->left, cells) &&
		       holds_condition(result, condition->right, cells);
	default:
		return holds_condition(result, condition->left, cells) ||
		       holds_condition(result, condition->right, cells);
	}
}

static bool shows_something(const struct query_result *result,
			    const struct record_value *cells)
{
	for (size_t i = 0; i < result->columns.count; i++)
		if (!result->columns.items[i].hidden && query_is_there(cells[i]))
			return true;
	return false;
}

static bool is_number(struct record_value value)
{
	return value.type == RECORD_INT || value.type == RECORD_UINT ||
	       value.type == RECORD_DOUBLE || value.type == RECORD_ADDRESS;
}

/* A row with the values that it is ordered by, which lie one behind the other. */
struct ordered {
	struct query_row row;
	size_t values;
};

/* A value, or where a chain has it. */
struct order_value {
	struct record_value value;
	uint32_t holder;
};

struct ordering {
	const struct query_result *result;
	const struct order_value *values;
};

static const struct query_result_column *order_column(const struct query_result *result,
						      size_t order)
{
	size_t column = result->query->orders.items[order].column;

	return &result->columns.items[result->moved.items[column]];
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct ordering *ordering = context;
	const struct query_result *result = ordering->result;
	const struct ordered *x = a, *y = b;

	for (size_t i = 0; i < result->query->orders.count; i++) {
		const struct order_value *left = &ordering->values[x->values + i];
		const struct order_value *right = &ordering->values[y->values + i];
		const struct query_chain *chain = order_column(result, i)->chain;
		int order = chain ? query_chain_compare(chain, &result->part->keys,
							left->holder, right->holder)
				  : query_compare(left->value, right->value);

		if (!order)
			continue;
		/* Missing values come last in both orders. */
		bool turned = result->query->orders.items[i].descending &&
			      query_is_there(left->value) && query_is_there(right->value);

		return turned ? -order : order;
	}
	return (x->values > y->values) - (x->values < y->values);
}

/* The sort key of a row, in a form that outlives its cells. */
static struct order_value order_value(struct query_result *result, size_t order,
				      const struct query_row *row,
				      const struct record_value *cells)
{
	const struct query_result_column *column = order_column(result, order);
	struct record_value cell = cells[column - result->columns.items];

	if (column->chain)
		return (struct order_value){
			cell, column->chain->holder[query_result_key(result, row)]};
	return (struct order_value){query_keys_keep(&result->part->keys, cell), 0};
}

static void order_rows(struct query_result *result, struct record_value *cells)
{
	size_t orders = result->query->orders.count, count = result->rows.count;
	struct VECTOR(struct order_value) values = {0};
	struct ordered *rows = memory_allocate(count * sizeof(*rows));

	for (size_t r = 0; r < count; r++) {
		const struct query_row *row = &result->rows.items[r];

		fill_cells(result, row, TEXTS_NONE, cells);
		rows[r] = (struct ordered){*row, values.count};
		for (size_t i = 0; i < orders; i++)
			vector_push(&values, order_value(result, i, row, cells));
	}
	struct ordering ordering = {result, values.items};

	qsort_r(rows, count, sizeof(*rows), compare_rows, &ordering);
	for (size_t r = 0; r < count; r++)
		result->rows.items[r] = rows[r].row;
	free(rows);
	vector_deinit(&values);
}

static void add_row(struct query_result *result, size_t number, uint32_t key,
		    struct record_value *cells)
{
	struct query_row row = {query_part_path(result->part, key), number};

	fill_cells(result, &row, TEXTS_TESTED, cells);
	if (!result->query->format->caliper && !shows_something(result, cells))
		return;
	if (result->query->having != QUERY_NO_CONDITION &&
	    !holds_condition(result, result->query->having, cells))
		return;
	vector_push(&result->rows, row);
	for (size_t i = 0; i < result->columns.count; i++) {
		if (!query_is_there(cells[i]))
			continue;
		result->columns.items[i].filled = true;
		result->columns.items[i].text |= !is_number(cells[i]);
	}
}

/* A hash of the cells of a row by which rows are limited. */
static uint64_t hash_limited(const struct query_result *result,
			     const struct record_value *cells)
{
	struct text text = {0};
	uint64_t hash;

	vector_for_each (&result->query->limit_by, order) {
		const size_t column = result->moved.items[order->column];

		text_add_bytes(&text, "", 1);
		if (query_is_there(cells[column]))
			record_value_text(&text, cells[column]);
	}
	hash = hash_bytes(text.data, text.length);
	text_deinit(&text);
	return hash;
}

/* Keeps the first rows with the same cells in some columns. */
static void limit_rows(struct query_result *result, struct record_value *cells)
{
	struct table seen = {0};
	size_t kept = 0;

	for (size_t r = 0; r < result->rows.count; r++) {
		query_result_cells(result, &result->rows.items[r], cells);
		uint64_t *count = table_insert(&seen, hash_limited(result, cells), NULL);

		if ((*count)++ < result->query->limit)
			result->rows.items[kept++] = result->rows.items[r];
	}
	result->rows.count = kept;
	table_deinit(&seen);
}

void query_result_make(struct query_result *result)
{
	const struct query_part *part = result->part;
	const struct query *query = result->query;

	make_columns(result);
	struct record_value *cells =
		memory_allocate(result->columns.count * sizeof(*cells));

	if (query_is_aggregating(query))
		for (size_t g = 0; g < part->groups.count; g++)
			add_row(result, g, part->groups.items[g], cells);
	else
		for (size_t r = 0; r < part->rows.count; r++)
			add_row(result, r, part->rows.items[r].key, cells);
	vector_for_each (&result->columns, column)
		column->hidden |= column->starred && !column->filled;
	bool later = query->format->caliper && query->format->caliper->orders &&
		     !query->limited;

	if (query->orders.count && !later)
		order_rows(result, cells);
	if (query->limit_by.count)
		limit_rows(result, cells);
	else if (query->limited && query->limit < result->rows.count)
		result->rows.count = query->limit;
	free(cells);
}

void query_result_deinit(struct query_result *result)
{
	vector_for_each (&result->columns, column) {
		free(column->title);
		query_chain_destroy(column->chain);
	}
	vector_for_each (&result->joined, joined)
		text_deinit(joined);
	vector_deinit(&result->columns);
	vector_deinit(&result->moved);
	vector_deinit(&result->column_of);
	vector_deinit(&result->rows);
	vector_deinit(&result->joined);
	vector_deinit(&result->chain);
	vector_deinit(&result->rounded);
	for (size_t i = 0; i < result->part_count; i++)
		query_part_deinit(&result->parts[i]);
	free(result->parts);
}

void query_result_destroy(struct query_result *result)
{
	if (result)
		query_result_deinit(result);
	free(result);
}
