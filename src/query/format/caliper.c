/* Records of files, or of a result, as the formats of cali-query take them. */
#include "query/format/caliper.h"

#include "base/array.h"
#include "query/format/output.h"
#include "query/match.h"
#include "record/cali_values.h"
#include "record/model.h"
#include "record/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum caliper_selection selection_of(const struct query *query)
{
	if (!query->selects)
		return CALIPER_USUAL;
	vector_for_each (&query->columns, column)
		if (column->kind == QUERY_COLUMN_ALL)
			return CALIPER_ALL;
	return CALIPER_LIST;
}

struct caliper_printing *caliper_printing_create(const struct query *query,
						 struct text *out)
{
	const struct caliper_format *format = query->format->caliper;
	struct caliper_printing *printing = memory_allocate_zeroed(1, format->size);

	printing->query = query;
	printing->format = format;
	printing->out = out;
	printing->model = record_model_create();
	printing->selection = selection_of(query);
	if (format->begin)
		format->begin(printing);
	return printing;
}

void caliper_printing_use(struct caliper_printing *printing,
			  const struct record_model *model)
{
	printing->from = model;
	printing->attribute_of.count = printing->node_of.count = 0;
}

/* Finds how SELECT shows an attribute: by its name, or as a part of the path. */
static void select_attribute(const struct query *query,
			     struct caliper_attribute *attribute)
{
	attribute->title = attribute->name;
	attribute->listed = attribute->in_path = false;
	vector_for_each (&query->columns, column) {
		bool path = column->kind == QUERY_COLUMN_PATH && !column->hidden;
		bool named = column->kind != QUERY_COLUMN_ALL &&
			     column->kind != QUERY_COLUMN_PATH &&
			     query_is_name(column->name, attribute->name);

		if (named && column->alias)
			attribute->title = column->alias;
		attribute->listed |= named && !column->hidden;
		attribute->in_path |= path && attribute->nested;
	}
}

record_attribute caliper_attribute_make(struct caliper_printing *printing,
					const struct caliper_attribute *as)
{
	record_attribute id = record_attribute_make(printing->model, as->name, as->type,
						    as->properties);

	if (id < printing->attributes.count)
		return id;
	vector_push(&printing->attributes, *as);
	struct caliper_attribute *made = &printing->attributes.items[id];

	made->name = record_attribute_name(printing->model, id);
	made->alias = as->alias ? memory_copy_string(as->alias) : NULL;
	select_attribute(printing->query, made);
	return id;
}

static void learn_attribute(struct caliper_printing *printing, record_attribute id)
{
	const struct record_model *from = printing->from;
	uint32_t properties = record_attribute_properties(from, id);
	struct caliper_attribute as = {
		.name = record_attribute_name(from, id),
		.type = record_attribute_type(from, id),
		.properties = properties,
		.nested = properties & RECORD_NESTED,
		.hidden = properties & RECORD_HIDDEN,
		.global = properties & RECORD_GLOBAL,
		.value = properties & (RECORD_AS_VALUE | RECORD_AGGREGATABLE),
	};

	for (size_t i = 0; i < record_attribute_descriptions(from, id); i++) {
		struct record_pair said = record_attribute_description(from, id, i);

		if (said.value.type == RECORD_STRING &&
		    !strcmp(record_attribute_name(from, said.attribute),
			    "attribute.alias"))
			as.alias = said.value.bytes;
	}
	vector_push(&printing->attribute_of, caliper_attribute_make(printing, &as));
}

/* Reads the file's metadata of an attribute; other attributes that it uses may be defined
 * later. */
static void describe_attribute(struct caliper_printing *printing, record_attribute id)
{
	const struct record_model *from = printing->from;

	for (size_t i = 0; i < record_attribute_descriptions(from, id); i++) {
		struct record_pair said = record_attribute_description(from, id, i);

		record_attribute_describe(
			printing->model, printing->attribute_of.items[id],
			printing->attribute_of.items[said.attribute], said.value);
	}
}

/* Adds new attributes, in the order in which the file defines them. */
static void learn_attributes(struct caliper_printing *printing)
{
	size_t known = printing->node_of.count, nodes = record_node_count(printing->from);
	size_t first = printing->attribute_of.count, own = printing->attributes.count;

	while (printing->attribute_of.count < record_attribute_count(printing->from))
		learn_attribute(printing, (record_attribute)printing->attribute_of.count);
	for (size_t id = first; id < printing->attribute_of.count; id++)
		if (printing->attribute_of.items[id] >= own)
			describe_attribute(printing, (record_attribute)id);
	if (nodes <= known)
		return;
	vector_reserve(&printing->node_of, nodes);
	memset(printing->node_of.items + known, 0, (nodes - known) * sizeof(record_node));
	printing->node_of.count = nodes;
}

static record_node own_node(struct caliper_printing *printing, record_node node)
{
	record_node own = 0;

	printing->chain.count = 0;
	for (; node && !(own = printing->node_of.items[node]);
	     node = record_node_parent(printing->from, node))
		vector_push(&printing->chain, node);
	while (printing->chain.count) {
		node = printing->chain.items[--printing->chain.count];
		struct record_pair pair = record_node_pair(printing->from, node);

		own = record_node_child(printing->model, own,
					printing->attribute_of.items[pair.attribute],
					pair.value);
		printing->node_of.items[node] = own;
	}
	return own;
}

void caliper_printing_record(struct caliper_printing *printing, const record_node *nodes,
			     size_t node_count, const struct record_pair *pairs,
			     size_t pair_count)
{
	struct caliper_record record = {.pair_count = pair_count};

	if (printing->attribute_of.count < record_attribute_count(printing->from) ||
	    printing->node_of.count < record_node_count(printing->from))
		learn_attributes(printing);
	printing->nodes.count = 0;
	for (size_t i = 0; i < node_count; i++) {
		record_node own = printing->node_of.items[nodes[i]];

		if (!own)
			own = own_node(printing, nodes[i]);
		if (own)
			vector_push(&printing->nodes, own);
	}
	vector_reserve(&printing->pairs, pair_count);
	for (size_t i = 0; i < pair_count; i++)
		printing->pairs.items[i] = (struct record_pair){
			printing->attribute_of.items[pairs[i].attribute], pairs[i].value};
	record.nodes = printing->nodes.items;
	record.node_count = printing->nodes.count;
	record.pairs = printing->pairs.items;
	printing->format->record(printing, &record);
}

struct record_value caliper_keep(struct caliper_printing *printing,
				 struct record_pair pair)
{
	if (pair.value.type != RECORD_STRING && pair.value.type != RECORD_BLOB)
		return pair.value;
	return record_node_pair(
		       printing->model,
		       record_node_child(printing->model, 0, pair.attribute, pair.value))
		.value;
}

COMPARE_BY(compare_attributes, struct record_pair, attribute);

void caliper_order_globals(struct caliper_printing *printing)
{
	if (printing->globals.count)
		qsort(printing->globals.items, printing->globals.count,
		      sizeof(printing->globals.items[0]), compare_attributes);
}

/* The attribute of a global. In front of records not all may be known of all attributes.
 */
static record_attribute global_attribute(struct caliper_printing *printing,
					 record_attribute id)
{
	uint32_t properties = record_attribute_properties(printing->from, id);

	if (printing->attribute_of.count) {
		learn_attributes(printing);
		return printing->attribute_of.items[id];
	}
	const struct caliper_attribute as = {
		.name = record_attribute_name(printing->from, id),
		.type = record_attribute_type(printing->from, id),
		.properties = properties,
		.hidden = properties & RECORD_HIDDEN,
		.global = properties & RECORD_GLOBAL,
		.value = properties & (RECORD_AS_VALUE | RECORD_AGGREGATABLE),
	};

	return caliper_attribute_make(printing, &as);
}

void caliper_printing_global(struct caliper_printing *printing,
			     record_attribute attribute, struct record_value value)
{
	struct record_pair pair = {global_attribute(printing, attribute), value};

	pair.value = caliper_keep(printing, pair);
	vector_for_each (&printing->globals, known) {
		if (known->attribute == pair.attribute) {
			*known = pair;
			return;
		}
	}
	vector_push(&printing->globals, pair);
}

void caliper_printing_finish(struct caliper_printing *printing)
{
	if (printing->format->end)
		printing->format->end(printing);
	vector_for_each (&printing->attributes, attribute)
		free((char *)(uintptr_t)attribute->alias);
	record_model_destroy(printing->model);
	vector_deinit(&printing->attributes);
	vector_deinit(&printing->globals);
	vector_deinit(&printing->attribute_of);
	vector_deinit(&printing->node_of);
	vector_deinit(&printing->nodes);
	vector_deinit(&printing->chain);
	vector_deinit(&printing->pairs);
	free(printing);
}

enum { BYTES_AT_ONCE = 1 << 20 };

void caliper_give(struct caliper_printing *printing)
{
	if (printing->out->length < BYTES_AT_ONCE)
		return;
	if (printing->part)
		printing->part->flush(printing->part);
	else if (printing->style)
		query_give(printing->style, printing->out);
}

bool caliper_attribute_find(const struct caliper_printing *printing, const char *name,
			    record_attribute *ret_attribute)
{
	bool found = record_attribute_find(printing->model, name, ret_attribute);

	for (size_t i = 0; i < printing->attributes.count && !found; i++) {
		if (!query_is_name(name, printing->attributes.items[i].name))
			continue;
		*ret_attribute = (record_attribute)i;
		found = true;
	}
	return found;
}

const char *caliper_path_title(const struct caliper_printing *printing)
{
	if (printing->selection == CALIPER_LIST)
		vector_for_each (&printing->query->columns, column)
			if (column->kind == QUERY_COLUMN_PATH && !column->hidden)
				return column->alias ? column->alias : column->name;
	return NULL;
}

bool caliper_is_number(enum record_type type)
{
	return type == RECORD_INT || type == RECORD_UINT || type == RECORD_DOUBLE;
}

/* Adds a double with six digits if they identify it, as a whole number of millionths. */
static bool add_millionths(struct text *out, double d)
{
	double scaled = d * 1e6;
	uint64_t number;
	char digits[24];
	size_t at = sizeof(digits);

	if (!(fabs(d) < 1e9))
		return false;
	number = (uint64_t)(fabs(scaled) + 0.5);
	if ((double)number / 1e6 != fabs(d))
		return false;
	for (int i = 0; i < 6; i++, number /= 10)
		digits[--at] = (char)('0' + number % 10);
	digits[--at] = '.';
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	if (signbit(d))
		digits[--at] = '-';
	text_add_bytes(out, digits + at, sizeof(digits) - at);
	return true;
}

static void add_double(struct text *out, double d, bool people)
{
	char digits[350];

	if (add_millionths(out, d))
		return;
	snprintf(digits, sizeof(digits), "%.6f", d);
	if (people || strtod(digits, NULL) == d)
		text_add(out, digits);
	else
		record_value_text(out, query_double(d));
}

void caliper_add_value(struct text *out, struct record_value value, bool people)
{
	if (value.type == RECORD_DOUBLE)
		add_double(out, value.d, people);
	else if (value.type == RECORD_ADDRESS || value.type == RECORD_TYPE)
		cali_add_value(out, value);
	else
		record_value_text(out, value);
}

static bool add_path(struct caliper_printing *printing, record_node node,
		     int64_t attribute, bool people, struct text *out)
{
	const char *between = "";

	printing->chain.count = 0;
	for (; node; node = record_node_parent(printing->model, node)) {
		record_attribute id = record_node_pair(printing->model, node).attribute;

		if (attribute < 0 ? caliper_attribute(printing, id)->nested
				  : id == attribute)
			vector_push(&printing->chain, node);
	}
	bool any = printing->chain.count;

	while (printing->chain.count) {
		node = printing->chain.items[--printing->chain.count];
		text_add(out, between);
		caliper_add_value(out, record_node_pair(printing->model, node).value,
				  people);
		between = "/";
	}
	return any;
}

bool caliper_add_path(struct caliper_printing *printing, record_node node,
		      record_attribute attribute, bool people, struct text *out)
{
	return add_path(printing, node, attribute, people, out);
}

bool caliper_add_nested(struct caliper_printing *printing, record_node node, bool people,
			struct text *out)
{
	return add_path(printing, node, -1, people, out);
}

static void add_spaces(struct text *out, size_t count)
{
	static const char spaces[] = "                                                ";

	for (size_t part; count; count -= part) {
		part = count < sizeof(spaces) - 1 ? count : sizeof(spaces) - 1;
		text_add_bytes(out, spaces, part);
	}
}

void caliper_pad(struct text *out, const char *string, size_t width, bool right)
{
	size_t length = strlen(string), half = width / 2 - 1;

	if (right && length < width)
		add_spaces(out, width - length);
	if (length <= width) {
		text_add_bytes(out, string, length);
	} else {
		text_add_bytes(out, string, half);
		text_add(out, "~~");
		text_add(out, string + length - half);
		length = 2 * half + 2;
	}
	add_spaces(out, right || length >= width ? 1 : width - length + 1);
}

size_t caliper_width(const struct query *query, size_t width, size_t usual)
{
	const char *option = query_option(query, "column-width");
	long most = option ? atol(option) : (long)usual;

	if (most > 0 && width > (size_t)most)
		width = (size_t)most;
	return width < 4 ? 4 : width;
}

enum { GLOBAL_NAME_WIDTH = 24, GLOBAL_VALUE_WIDTH = 52 };

static void add_global(const struct record_pair *global, const char *name,
		       const size_t *widths, struct text *out)
{
	struct text value = {0};

	text_add(&value, "");
	caliper_add_value(&value, global->value, true);
	caliper_pad(out, name, widths[0], false);
	text_add(out, ": ");
	if (caliper_is_number(global->value.type)) {
		caliper_pad(out, value.data, widths[1], true);
	} else {
		caliper_pad(out, value.data, GLOBAL_VALUE_WIDTH, false);
		while (out->data[out->length - 1] == ' ')
			out->data[--out->length] = '\0';
	}
	text_add(out, "\n");
	text_deinit(&value);
}

/* Attributes of the context tree come first, innermost first. */
void caliper_add_globals(const struct caliper_printing *printing, struct text *out)
{
	size_t widths[2] = {0, 0}, count = printing->globals.count;
	struct text value = {0};

	if (!query_option(printing->query, "print-globals"))
		return;
	vector_for_each (&printing->globals, global) {
		size_t width =
			strlen(caliper_attribute(printing, global->attribute)->name);

		widths[0] = width > widths[0] ? width : widths[0];
		value.length = 0;
		text_add(&value, "");
		caliper_add_value(&value, global->value, true);
		if (caliper_is_number(global->value.type) && value.length > widths[1])
			widths[1] = value.length;
	}
	text_deinit(&value);
	widths[0] = widths[0] > GLOBAL_NAME_WIDTH ? GLOBAL_NAME_WIDTH : widths[0];
	for (size_t i = 0; i < 2 * count; i++) {
		const struct record_pair *global =
			&printing->globals.items[i < count ? count - 1 - i : i - count];
		const struct caliper_attribute *attribute =
			caliper_attribute(printing, global->attribute);

		if (attribute->value == (i >= count))
			add_global(global, attribute->name, widths, out);
	}
}
