/* The json-split of cali-query, which Hatchet and Thicket read: rows as lists of cells,
 * and paths as trees. All records are kept, since the last one decides what columns there
 * are; what a path adds to a row is made once. */
#include "base/json_write.h"
#include "record/model.h"
#include "record/value.h"
#include "query/format/caliper.h"
#include "query/match.h"

#include <inttypes.h>
#include <stdlib.h>

/* A value of a record. */
struct split_cell {
	uint32_t attribute;
	uint32_t type : 4, size : 28; /* as in struct record_value */
	uint64_t u;
};

struct split_row {
	uint32_t nodes, cells; /* how many it has */
};

/* The value of a path in a column, by its innermost node. */
struct split_shown {
	uint32_t number;        /* of a tree: of its node + 1, or 0: not known yet */
	uint32_t begin, length; /* else the text of a cell, in split.texts; 0: none yet */
};

struct split_column {
	const char *title;
	record_attribute attribute;
	bool path;                 /* all nested attributes that are selected */
	bool in_tree;              /* cells are numbers of nodes */
	bool *has;                 /* by node of the model: the path has a value */
	struct split_shown *shown; /* the same */
};

struct split {
	struct caliper_printing printing;
	struct VECTOR(struct split_row) rows;
	struct VECTOR(struct split_cell) cells;
	struct VECTOR(record_node) nodes;
	struct VECTOR(bool) used;    /* by attribute: a record has a value of it */
	struct VECTOR(bool) is_used; /* by node: a record has it */
	struct VECTOR(struct split_column) columns;
	struct caliper_numbers column_of; /* by attribute: number + 1, 0: none shows it */
	struct record_model *trees;       /* of all columns */
	struct caliper_numbers numbers;   /* by node of `trees`: in the output + 1 */
	struct text texts, tree_nodes, scratch;
	uint32_t node_count;
};

static void split_begin(struct caliper_printing *printing)
{
	struct split *split = (struct split *)printing;
	split->trees = record_model_create();
	/* The only one: its number is 0. */
	record_attribute_make(split->trees, "label", RECORD_STRING, 0);
	vector_push(&split->numbers, 0);
}

static void use_attribute(struct split *split, record_attribute id)
{
	while (split->used.count <= id)
		vector_push(&split->used, false);
	split->used.items[id] = true;
}

static void add_pairs(struct split *split, const struct record_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct record_value value = caliper_keep(&split->printing, pairs[i]);
		struct split_cell cell = {.attribute = pairs[i].attribute,
					  .type = value.type,
					  .size = (uint32_t)value.size & 0xfffffff,
					  .u = value.u};

		if (value.size)
			cell.u = (uint64_t)(uintptr_t)value.bytes;
		if (cell.attribute >= split->used.count ||
		    !split->used.items[cell.attribute])
			use_attribute(split, cell.attribute);
		vector_push(&split->cells, cell);
	}
}

static void split_record(struct caliper_printing *printing,
			 const struct caliper_record *record)
{
	struct split *split = (struct split *)printing;
	struct split_row row = {
		(uint32_t)record->node_count,
		(uint32_t)(record->key_count + record->pair_count),
	};

	add_pairs(split, record->keys, record->key_count);
	for (size_t i = 0; i < record->node_count; i++) {
		record_node node = record->nodes[i];

		while (split->is_used.count <= node)
			vector_push(&split->is_used, false);
		split->is_used.items[node] = true;
		vector_push(&split->nodes, node);
	}
	add_pairs(split, record->pairs, record->pair_count);
	vector_push(&split->rows, row);
}

/* Attributes that are in the paths of records. */
static void use_paths(struct split *split)
{
	const struct record_model *model = split->printing.model;

	for (record_node node = (record_node)split->is_used.count; node-- > 1;) {
		if (!split->is_used.items[node])
			continue;
		use_attribute(split, record_node_pair(model, node).attribute);
		split->is_used.items[record_node_parent(model, node)] = true;
	}
}

/* Whether groups are told apart by keys that were given. */
static bool has_keys(const struct query *query)
{
	return query_is_aggregating(query) && query->grouping != QUERY_GROUP_USUAL;
}

/* Whether the path has the attribute's values. */
static bool is_of_path(const struct split *split, record_attribute id)
{
	const struct query *query = split->printing.query;
	const struct caliper_attribute *attribute =
		caliper_attribute(&split->printing, id);

	if (!attribute->nested)
		return false;
	if (split->printing.selection == CALIPER_LIST)
		return attribute->listed || attribute->in_path;
	if (!has_keys(query) || query->groups_path)
		return true;
	vector_for_each (&query->keys, key)
		if (query_is_name(*key, attribute->name))
			return true;
	return false;
}

static bool is_shown(const struct split *split, record_attribute id)
{
	const struct caliper_attribute *attribute =
		caliper_attribute(&split->printing, id);
	bool used = id < split->used.count && split->used.items[id];

	if (attribute->nested)
		return false;
	if (split->printing.selection == CALIPER_LIST)
		return attribute->listed;
	return used && !attribute->hidden &&
	       (!attribute->global || split->printing.query->shows_globals);
}

/* By their attributes' names, which titles need not be. */
static int compare_columns(const void *a, const void *b, void *attributes)
{
	const struct caliper_attribute *all = attributes;
	const struct split_column *x = a, *y = b;

	return strcmp(all[x->attribute].name, all[y->attribute].name);
}

static void find_columns(struct split *split)
{
	struct caliper_printing *printing = &split->printing;
	const char *path = caliper_path_title(printing);
	bool has_path = false;

	for (record_attribute i = 0; i < printing->attributes.count; i++) {
		const struct caliper_attribute *attribute =
			caliper_attribute(printing, i);

		has_path |= is_of_path(split, i);
		if (is_shown(split, i))
			vector_push(
				&split->columns,
				((struct split_column){.title = attribute->title,
						       .attribute = i,
						       .in_tree = !attribute->value}));
	}
	if (split->columns.count)
		qsort_r(split->columns.items, split->columns.count,
			sizeof(split->columns.items[0]), compare_columns,
			printing->attributes.items);
	if (has_path || path)
		vector_push(&split->columns,
			    ((struct split_column){.title = "path",
						   .attribute = UINT32_MAX,
						   .path = true,
						   .in_tree = true}));
	vector_reserve(&split->column_of, printing->attributes.count + 1);
	split->column_of.count = printing->attributes.count;
	memset(split->column_of.items, 0, split->column_of.count * sizeof(uint32_t));
	for (size_t i = 0; i < split->columns.count; i++)
		if (!split->columns.items[i].path)
			split->column_of.items[split->columns.items[i].attribute] =
				(uint32_t)i + 1;
}

static bool is_of(const struct split *split, const struct split_column *column,
		  record_node node)
{
	record_attribute id = record_node_pair(split->printing.model, node).attribute;

	return column->path ? is_of_path(split, id) : id == column->attribute;
}

/* Finds the paths with a value for a column. */
static void find_nodes(struct split *split, struct split_column *column)
{
	const struct record_model *model = split->printing.model;
	size_t count = record_node_count(model);

	if (!column->in_tree)
		return;
	column->has = memory_allocate_zeroed(count + 1, sizeof(*column->has));
	column->shown = memory_allocate_zeroed(count + 1, sizeof(*column->shown));
	/* Nodes come behind those above them. */
	for (record_node node = 1; node < count; node++)
		column->has[node] = column->has[record_node_parent(model, node)] ||
				    is_of(split, column, node);
}

static bool row_has(const struct split_column *column, const record_node *nodes,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (column->has[nodes[i]])
			return true;
	return false;
}

/* The column that Hatchet takes for its graph. */
static const struct split_column *find_graph(const struct split *split)
{
	const struct split_column *path = NULL;

	vector_for_each (&split->columns, column) {
		if (column->in_tree &&
		    !strcmp(column->title, "source.function#callpath.address"))
			return column;
		if (column->path)
			path = column;
	}
	return path;
}

/* Hatchet leaves out rows that are not in its graph, and in the others it takes no null
 * for a node: columns where one has none are values. */
static void settle_trees(struct split *split)
{
	const struct split_column *graph = find_graph(split);
	const record_node *nodes = split->nodes.items;
	size_t trees = 0;

	vector_for_each (&split->columns, column)
		trees += column->in_tree && column != graph && !column->path;
	for (size_t i = 0; graph && trees && i < split->rows.count; i++) {
		size_t count = split->rows.items[i].nodes;

		if (row_has(graph, nodes, count))
			vector_for_each (&split->columns, column)
				if (column->in_tree && !column->path && column != graph)
					column->in_tree = row_has(column, nodes, count);
		nodes += count;
	}
}

/* The child of a node of the output, whose parent has to be there. */
static record_node tree_child(struct split *split, const struct split_column *column,
			      record_node above, struct record_value value)
{
	struct text *out = &split->tree_nodes;

	split->scratch.length = 0;
	text_add(&split->scratch, "");
	record_value_text(&split->scratch, value);
	record_node node = above ? above
				 : record_node_child(split->trees, 0, 0,
						     record_string(column->title));

	node = record_node_child(split->trees, node, 0,
				 record_string(split->scratch.data));
	while (split->numbers.count <= node)
		vector_push(&split->numbers, 0);
	if (split->numbers.items[node])
		return node;
	json_begin_item(out);
	json_add_text(out, "label", split->scratch.data);
	json_add_text(out, "column", column->title);
	if (above)
		json_add_number(out, "parent", split->numbers.items[above] - 1);
	text_add(out, "}");
	split->numbers.items[node] = ++split->node_count;
	return node;
}

/* Below a node of the output, what a path has of a column. */
static record_node tree_path(struct split *split, const struct split_column *column,
			     record_node above, record_node node)
{
	const struct record_model *model = split->printing.model;
	struct VECTOR(record_node) chain = {0};

	for (; node && column->has[node]; node = record_node_parent(model, node))
		if (is_of(split, column, node))
			vector_push(&chain, node);
	while (chain.count)
		above = tree_child(
			split, column, above,
			record_node_pair(model, chain.items[--chain.count]).value);
	vector_deinit(&chain);
	return above;
}

/* The number of the node of a row's paths, which are below one another, the last one
 * outermost; SIZE_MAX: none has something. */
static size_t tree_number(struct split *split, const struct split_column *column,
			  const record_node *nodes, size_t count)
{
	record_node only = 0, last = 0;
	size_t several = 0;

	for (size_t i = 0; i < count; i++) {
		if (!column->has[nodes[i]])
			continue;
		only = nodes[i];
		several++;
	}
	if (!several)
		return SIZE_MAX;
	if (several == 1) {
		struct split_shown *shown = &column->shown[only];

		if (!shown->number) {
			last = tree_path(split, column, 0, only);
			shown->number = split->numbers.items[last];
		}
		return shown->number - 1;
	}
	for (size_t i = count; i-- > 0;)
		last = tree_path(split, column, last, nodes[i]);
	return split->numbers.items[last] - 1;
}

static void add_json(struct record_value value, struct text *out)
{
	if (value.type == RECORD_UINT || value.type == RECORD_INT)
		record_value_text(out, value);
	else
		record_value_json(out, value);
}

/* Makes the value of a path in a column: one value as it is, several as a text. */
static void make_text(struct split *split, const struct split_column *column,
		      record_node node)
{
	struct caliper_printing *printing = &split->printing;
	struct split_shown *shown = &column->shown[node];
	record_node own = node;
	size_t count = 0;

	shown->begin = (uint32_t)split->texts.length;
	for (record_node at = node; at; at = record_node_parent(printing->model, at)) {
		if (!is_of(split, column, at))
			continue;
		own = at;
		count++;
	}
	if (count == 1) {
		add_json(record_node_pair(printing->model, own).value, &split->texts);
	} else {
		split->scratch.length = 0;
		caliper_add_path(printing, node, column->attribute, false,
				 &split->scratch);
		text_add_json(&split->texts, split->scratch.data);
	}
	shown->length = (uint32_t)split->texts.length - shown->begin;
}

static void add_tree_cell(struct split *split, const struct split_column *column,
			  const record_node *nodes, size_t count)
{
	struct text *out = split->printing.out;

	if (column->in_tree) {
		size_t number = tree_number(split, column, nodes, count);

		if (number == SIZE_MAX)
			text_add_bytes(out, "null", 4);
		else
			record_value_text(out, record_uint(number));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct split_shown *shown = &column->shown[nodes[i]];

		if (!column->has[nodes[i]])
			continue;
		if (!shown->length)
			make_text(split, column, nodes[i]);
		text_add_bytes(out, split->texts.data + shown->begin, shown->length);
		return;
	}
	text_add_bytes(out, "null", 4);
}

static void add_value_cell(struct split *split, const struct split_cell *cell)
{
	struct record_value value = {
		.type = (enum record_type)cell->type, .size = cell->size, .u = cell->u};

	if (value.size)
		value.bytes = (const char *)(uintptr_t)cell->u;
	if (value.type == RECORD_STRING && !value.size)
		value.bytes = "";
	add_json(value, split->printing.out);
}

/* `own`: by column the row's value, or NULL. */
static void add_row(struct split *split, const struct split_row *row,
		    const record_node *nodes, const struct split_cell **own)
{
	struct text *out = split->printing.out;

	for (size_t i = 0; i < split->columns.count; i++) {
		const struct split_column *column = &split->columns.items[i];

		if (i)
			text_add_bytes(out, ", ", 2);
		if (own[i])
			add_value_cell(split, own[i]);
		else if (column->has)
			add_tree_cell(split, column, nodes, row->nodes);
		else
			text_add_bytes(out, "null", 4);
		own[i] = NULL;
	}
}

static void add_rows(struct split *split)
{
	struct text *out = split->printing.out;
	const record_node *nodes = split->nodes.items;
	const struct split_cell *cell = split->cells.items;
	const struct split_cell **own =
		memory_allocate_zeroed(split->columns.count + 1, sizeof(*own));

	text_add(out, "{\n\"data\": [");
	vector_for_each (&split->rows, row) {
		for (uint32_t i = 0; i < row->cells; i++, cell++) {
			uint32_t column = split->column_of.items[cell->attribute];

			if (column && !own[column - 1])
				own[column - 1] = cell;
		}
		if (row == split->rows.items)
			text_add(out, "\n  [");
		else
			text_add_bytes(out, ",\n  [", 5);
		add_row(split, row, nodes, own);
		text_add_bytes(out, "]", 1);
		nodes += row->nodes;
		caliper_give(&split->printing);
	}
	free(own);
}

/* Adds metadata of the file, except the title: SELECT may have another one. */
static void add_descriptions(struct split *split, record_attribute id)
{
	struct caliper_printing *printing = &split->printing;

	for (size_t i = 0; i < record_attribute_descriptions(printing->model, id); i++) {
		struct record_pair said =
			record_attribute_description(printing->model, id, i);
		const struct caliper_attribute *about =
			caliper_attribute(printing, said.attribute);

		if (about->hidden || !strcmp(about->name, "attribute.type") ||
		    !strcmp(about->name, "attribute.alias") ||
		    !strcmp(about->name, "attribute.unit"))
			continue;
		split->scratch.length = 0;
		text_add(&split->scratch, "");
		record_value_text(&split->scratch, said.value);
		json_add_text(printing->out, about->name, split->scratch.data);
	}
}

static const char *unit_of(struct split *split, const struct caliper_attribute *attribute,
			   record_attribute id)
{
	const struct caliper_printing *printing = &split->printing;

	vector_for_each (&printing->query->columns, column)
		if (column->unit && column->kind != QUERY_COLUMN_ALL &&
		    query_is_name(column->name, attribute->name))
			return column->unit;
	for (size_t i = 0; i < record_attribute_descriptions(printing->model, id); i++) {
		struct record_pair said =
			record_attribute_description(printing->model, id, i);

		if (said.value.type == RECORD_STRING &&
		    !strcmp(caliper_attribute(printing, said.attribute)->name,
			    "attribute.unit"))
			return said.value.bytes;
	}
	return NULL;
}

/* Adds metadata of a column; its type only if it does not follow from its being a number,
 * or a label of nodes: record/split.h. */
static void add_metadata(struct split *split, const struct split_column *column)
{
	struct text *out = split->printing.out;

	text_add(out, "{");
	json_add_boolean(out, "is_value", !column->in_tree);
	if (column->path) {
		text_add(out, "}");
		return;
	}
	record_attribute id = column->attribute;
	const struct caliper_attribute *attribute =
		caliper_attribute(&split->printing, id);
	bool own = strcmp(attribute->title, attribute->name) != 0;
	bool used = id < split->used.count && split->used.items[id];
	const char *unit = unit_of(split, attribute, id);

	if (own || attribute->alias)
		json_add_text(out, "attribute.alias",
			      own ? attribute->title : attribute->alias);
	if (unit)
		json_add_text(out, "attribute.unit", unit);
	add_descriptions(split, id);
	if (used && attribute->type != RECORD_STRING &&
	    (column->in_tree ||
	     (attribute->type != RECORD_UINT && attribute->type != RECORD_BOOL)))
		json_add_text(out, "attribute.type", record_type_name(attribute->type));
	text_add(out, "}");
}

static void add_columns(struct split *split)
{
	struct text *out = split->printing.out;

	text_add(out, "],\n\"columns\": [");
	vector_for_each (&split->columns, column) {
		text_add(out, column == split->columns.items ? "" : ", ");
		text_add_json(out, column->title);
	}
	text_add(out, "],\n\"column_metadata\": [");
	vector_for_each (&split->columns, column) {
		text_add(out, column == split->columns.items ? "" : ", ");
		add_metadata(split, column);
	}
	text_add(out, "],\n\"nodes\": [");
	text_add(out, split->tree_nodes.data ? split->tree_nodes.data : "");
	text_add(out, "]");
}

/* Run metadata are members of the object itself, as strings. */
static void add_globals(struct split *split)
{
	struct caliper_printing *printing = &split->printing;

	caliper_order_globals(printing);
	vector_for_each (&printing->globals, global) {
		split->scratch.length = 0;
		text_add(&split->scratch, "");
		caliper_add_value(&split->scratch, global->value, false);
		text_add(printing->out, ",\n");
		text_add_json(printing->out,
			      caliper_attribute(printing, global->attribute)->name);
		text_add(printing->out, ": ");
		text_add_json(printing->out, split->scratch.data);
	}
}

static void split_end(struct caliper_printing *printing)
{
	struct split *split = (struct split *)printing;

	use_paths(split);
	find_columns(split);
	vector_for_each (&split->columns, column)
		find_nodes(split, column);
	settle_trees(split);
	add_rows(split);
	add_columns(split);
	add_globals(split);
	text_add(printing->out, "\n}\n");
	vector_for_each (&split->columns, column) {
		free(column->has);
		free(column->shown);
	}
	record_model_destroy(split->trees);
	vector_deinit(&split->rows);
	vector_deinit(&split->cells);
	vector_deinit(&split->nodes);
	vector_deinit(&split->used);
	vector_deinit(&split->is_used);
	vector_deinit(&split->columns);
	vector_deinit(&split->column_of);
	vector_deinit(&split->numbers);
	text_deinit(&split->texts);
	text_deinit(&split->tree_nodes);
	text_deinit(&split->scratch);
}

const struct caliper_format caliper_split = {
	.size = sizeof(struct split),
	.begin = split_begin,
	.record = split_record,
	.end = split_end,
};
