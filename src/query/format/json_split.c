#include "query/format/json_split.h"

#include "base/json_write.h"
#include "record/model.h"
#include "record/value.h"
#include "query/format/cells.h"
#include "query/format/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A column of the output, but the path. */
struct split_column {
	size_t column; /* of the result */
	struct query_kind kind;
	/* Values of the context tree are numbers of nodes, as the path is. */
	bool in_tree;
	record_attribute label; /* of `trees` */
	record_node *node_of;   /* by key: what it has there + 1, 0: not known yet */
};

struct split {
	struct query_result *result;
	struct VECTOR(struct split_column) columns;
	bool path;         /* the last column is that */
	uint32_t *node_of; /* by key, of the path: number of the node + 1 */
	/* Trees of other columns, and their numbers by node. */
	struct record_model *trees;
	struct VECTOR(uint32_t) tree_nodes;
	struct text nodes;
	uint32_t node_count;
};

/* `above`: the number of its parent + 1, or 0. Returns its own + 1. */
static uint32_t add_node(struct split *split, const char *label, const char *column,
			 uint32_t above)
{
	json_begin_item(&split->nodes);
	json_add_text(&split->nodes, "label", label);
	json_add_text(&split->nodes, "column", column);
	if (above)
		json_add_number(&split->nodes, "parent", above - 1);
	text_add(&split->nodes, "}");
	return ++split->node_count;
}

/* Parents come before their children. */
static uint32_t path_node(struct split *split, uint32_t key)
{
	const struct query_key_node *nodes = split->result->part->keys.nodes.items;
	struct VECTOR(uint32_t) missing = {0};

	for (uint32_t at = key; at && !split->node_of[at]; at = nodes[at].parent)
		vector_push(&missing, at);
	while (missing.count) {
		struct text label = {0};

		key = missing.items[--missing.count];
		text_add(&label, "");
		record_value_text(&label, nodes[key].value);
		split->node_of[key] = add_node(split, label.data, "path",
					       split->node_of[nodes[key].parent]);
		text_deinit(&label);
	}
	vector_deinit(&missing);
	return split->node_of[key];
}

static const char *title_of(const struct split *split, const struct split_column *column)
{
	return split->result->columns.items[column->column].title;
}

/* The child of a node of a column's tree. */
static record_node tree_child(struct split *split, const struct split_column *column,
			      record_node above, struct record_value value)
{
	struct text label = {0};

	text_add(&label, "");
	record_value_text(&label, value);
	record_node node = record_node_child(split->trees, above, column->label,
					     record_string(label.data));

	while (split->tree_nodes.count <= node)
		vector_push(&split->tree_nodes, 0);
	if (!split->tree_nodes.items[node])
		split->tree_nodes.items[node] =
			add_node(split, label.data, title_of(split, column),
				 split->tree_nodes.items[above]);
	text_deinit(&label);
	return node;
}

/* Whether values of the attribute are in a column's tree. */
static bool is_of(const struct split *split, const struct split_column *column,
		  uint32_t attribute)
{
	return split->result->columns.items[column->column].attribute == attribute;
}

/* All that a row has of a column in the tree, the outermost first. */
static record_node tree_node(struct split *split, struct split_column *column,
			     const struct query_row *row)
{
	const struct query_part *part = split->result->part;
	uint32_t key = query_result_key(split->result, row);
	struct VECTOR(uint32_t) missing = {0};

	if (!column->node_of)
		column->node_of = memory_allocate_zeroed(part->keys.nodes.count,
							 sizeof(*column->node_of));
	column->node_of[0] = 1;
	for (; !column->node_of[key]; key = part->keys.nodes.items[key].parent)
		vector_push(&missing, key);
	record_node node = column->node_of[key] - 1;

	while (missing.count) {
		key = missing.items[--missing.count];
		if (is_of(split, column, part->keys.nodes.items[key].attribute))
			node = tree_child(split, column, node,
					  part->keys.nodes.items[key].value);
		column->node_of[key] = node + 1;
	}
	vector_deinit(&missing);
	return node;
}

static void add_cell(struct split *split, struct split_column *column,
		     const struct query_row *row, struct record_value cell,
		     struct text *out)
{
	if (!query_is_there(cell)) {
		text_add(out, "null");
		return;
	}
	query_kind_see(&column->kind, cell);
	if (!column->in_tree) {
		record_value_json(out, cell);
		return;
	}
	record_node node = tree_node(split, column, row);

	if (!node)
		node = tree_child(split, column, 0, cell);
	text_format(out, "%" PRIu32, split->tree_nodes.items[node] - 1);
}

static void add_row(struct split *split, const struct query_row *row,
		    const struct record_value *cells, struct text *out)
{
	vector_for_each (&split->columns, column) {
		text_add(out, column == split->columns.items ? "" : ", ");
		add_cell(split, column, row, cells[column->column], out);
	}
	if (!split->path)
		return;
	text_add(out, split->columns.count ? ", " : "");
	if (row->path)
		text_format(out, "%" PRIu32, path_node(split, row->path) - 1);
	else
		text_add(out, "null");
}

static void add_data(struct split *split, struct text *out)
{
	struct record_value *cells =
		memory_allocate(split->result->columns.count * sizeof(*cells));

	text_add(out, "{\n\"data\": [");
	vector_for_each (&split->result->rows, row) {
		query_result_cells(split->result, row, cells);
		text_add(out, row == split->result->rows.items ? "\n  [" : ",\n  [");
		add_row(split, row, cells, out);
		text_add(out, "]");
	}
	free(cells);
}

static void add_said(struct text *out, const char *name, const char *said)
{
	if (said)
		json_add_text(out, name, said);
}

static const struct query_attribute *attribute_of(const struct split *split,
						  size_t column)
{
	int64_t attribute = split->result->columns.items[column].attribute;

	return attribute < 0 ? NULL
			     : &split->result->part->keys.attributes.items[attribute];
}

/* Adds metadata of a column: that of SELECT before that of the file. Its type only if it
 * does not follow from its being a number, or a label of nodes: record/split.h. */
static void add_column_metadata(const struct split *split, const struct split_column *own,
				struct text *out)
{
	const struct query_result_column *column =
		&split->result->columns.items[own->column];
	const struct query_attribute none = {.type = (enum record_type)QUERY_NOTHING};
	const struct query_attribute *attribute = attribute_of(split, own->column);
	const char *name = NULL, *value;

	attribute = attribute ? attribute : &none;
	enum record_type type = query_kind_type(&own->kind, attribute->type);

	if (own->in_tree)
		type = attribute->type;
	text_add(out, "{");
	json_add_boolean(out, "is_value", !own->in_tree);
	add_said(out, "attribute.alias",
		 strcmp(column->title, column->name) ? column->title : attribute->alias);
	add_said(out, "attribute.unit", column->unit ? column->unit : attribute->unit);
	while ((name = query_said_next(attribute->said, name, &value)))
		if (strcmp(name, "attribute.type") != 0)
			add_said(out, name, value);
	if (own->kind.seen && type != RECORD_STRING &&
	    (own->in_tree || (type != RECORD_UINT && type != RECORD_BOOL)))
		add_said(out, "attribute.type", record_type_name(type));
	text_add(out, "}");
}

static void add_columns(const struct split *split, struct text *out)
{
	const char *between = split->columns.count ? ", " : "";

	text_add(out, "],\n\"columns\": [");
	vector_for_each (&split->columns, column) {
		text_add(out, column == split->columns.items ? "" : ", ");
		text_add_json(out, title_of(split, column));
	}
	if (split->path)
		text_format(out, "%s\"path\"", between);
	text_add(out, "],\n\"column_metadata\": [");
	vector_for_each (&split->columns, column) {
		text_add(out, column == split->columns.items ? "" : ", ");
		add_column_metadata(split, column, out);
	}
	if (split->path)
		text_format(out, "%s{\"is_value\": false}", between);
}

/* Whether a later run has the name, too: the last one counts. */
static bool is_told_later(const struct query_part *part, size_t run, const char *name)
{
	while (++run < part->runs.count)
		vector_for_each (&part->runs.items[run], global)
			if (!strcmp(global->name, name))
				return true;
	return false;
}

/* Run metadata are members of the object itself, as strings. */
static void add_metadata(const struct query_result *result, struct text *out)
{
	const struct query_part *part = result->part;
	struct text value = {0};

	for (size_t run = 0; run < part->runs.count; run++) {
		vector_for_each (&part->runs.items[run], global) {
			if (is_told_later(part, run, global->name))
				continue;
			value.length = 0;
			text_add(&value, "");
			record_value_text(&value, global->value);
			text_add(out, ",\n");
			text_add_json(out, global->name);
			text_add(out, ": ");
			text_add_json(out, value.data);
		}
	}
	text_deinit(&value);
}

static void add_column(struct split *split, size_t column)
{
	const struct query_result_column *shown = &split->result->columns.items[column];
	const struct query_attribute *attribute = attribute_of(split, column);
	bool in_tree = shown->kind == QUERY_COLUMN_ATTRIBUTE && attribute &&
		       attribute->in_tree && (int)attribute->type != QUERY_NOTHING;

	vector_push(&split->columns,
		    ((struct split_column){
			    .column = column,
			    .in_tree = in_tree,
			    .label = record_attribute_make(split->trees, shown->title,
							   RECORD_STRING, 0)}));
}

static void find_columns(struct split *split)
{
	struct query_result *result = split->result;
	size_t visible, *columns = query_result_visible(result, &visible);

	for (size_t i = 0; i < visible; i++) {
		const struct query_result_column *column =
			&result->columns.items[columns[i]];

		if (column->kind == QUERY_COLUMN_PATH)
			split->path = true;
		else
			add_column(split, columns[i]);
	}
	free(columns);
}

/* The column that Hatchet takes for its graph, if it is not the path. */
static const struct split_column *find_calls(const struct split *split)
{
	vector_for_each (&split->columns, column)
		if (column->in_tree &&
		    !strcmp(split->result->columns.items[column->column].title,
			    "source.function#callpath.address"))
			return column;
	return NULL;
}

/* Hatchet leaves out rows that are not in its graph, and in the others it takes no null
 * for a node: columns where one has none are values. */
static void settle_trees(struct split *split)
{
	const struct split_column *calls = find_calls(split);
	struct record_value *cells =
		memory_allocate(split->result->columns.count * sizeof(*cells));
	size_t trees = 0;

	vector_for_each (&split->columns, column)
		trees += column->in_tree;
	for (size_t i = 0; trees && i < split->result->rows.count; i++) {
		const struct query_row *row = &split->result->rows.items[i];

		query_result_cells(split->result, row, cells);
		if (calls ? !query_is_there(cells[calls->column]) : !row->path)
			continue;
		vector_for_each (&split->columns, column)
			column->in_tree &= query_is_there(cells[column->column]);
	}
	free(cells);
}

/* Cells of values that are in trees are not needed, but that there is one. */
static void leave_out_trees(struct split *split)
{
	vector_for_each (&split->columns, column)
		split->result->columns.items[column->column].unread = column->in_tree;
}

void query_print_json_split(struct query_result *result, const struct query_style *style,
			    struct text *out)
{
	struct split split = {.result = result, .trees = record_model_create()};

	(void)style;
	vector_push(&split.tree_nodes, 0); /* the root */
	split.node_of = memory_allocate_zeroed(result->part->keys.nodes.count,
					       sizeof(*split.node_of));
	query_leave_out_paths(result);
	find_columns(&split);
	leave_out_trees(&split);
	settle_trees(&split);
	leave_out_trees(&split);
	add_data(&split, out);
	add_columns(&split, out);
	text_add(out, "],\n\"nodes\": [");
	text_add(out, split.nodes.data ? split.nodes.data : "");
	text_add(out, "]");
	add_metadata(result, out);
	text_add(out, "\n}\n");
	text_deinit(&split.nodes);
	record_model_destroy(split.trees);
	vector_deinit(&split.tree_nodes);
	vector_for_each (&split.columns, column)
		free(column->node_of);
	vector_deinit(&split.columns);
	free(split.node_of);
}
