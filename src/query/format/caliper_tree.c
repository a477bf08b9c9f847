/* The tree that cali-query prints. */
#include "record/model.h"
#include "query/format/caliper.h"
#include "query/match.h"

#include <stdio.h>

/* Columns by which a level is indented. */
enum { INDENT = 2, WIDTH_USUAL = 48 };

/* In place of a label, for one of several records. */
#define SEVERAL " |-"

/* Values of a record that are not in the path; of an attribute the first one. */
struct tree_record {
	size_t first, count; /* in tree.pairs */
	size_t next;         /* the next one of the node + 1, or 0 */
};

/* A node of tree.nodes, by number. The root is there from the beginning. */
struct tree_node {
	record_node next, child;    /* sibling and children, or 0 */
	size_t record, last_record; /* + 1, or 0 */
	uint32_t depth;             /* of the root: 0 */
};

struct tree_column {
	const char *title;
	record_attribute attribute;
	size_t width;
	bool used; /* some record has it */
};

struct tree {
	struct caliper_printing printing;
	struct record_model *nodes; /* the paths, of the printing's attributes */
	struct VECTOR(struct tree_node) of_node;
	struct VECTOR(struct tree_record) records;
	struct VECTOR(struct record_pair) pairs;
	struct VECTOR(struct tree_column) columns; /* by attribute */
	struct VECTOR(uint32_t) shown;             /* attributes, as they are printed */
	struct VECTOR(record_node) path; /* of the record at hand, the innermost first */
	size_t width;                    /* of the path's column */
	struct text text;                /* scratch */
};

static void tree_begin(struct caliper_printing *printing)
{
	struct tree *tree = (struct tree *)printing;

	tree->nodes = record_model_create();
	vector_add(&tree->of_node);
}

static bool is_path(const struct tree *tree, record_attribute id)
{
	const struct caliper_attribute *attribute =
		caliper_attribute(&tree->printing, id);

	if (!tree->printing.query->path.count)
		return attribute->nested;
	vector_for_each (&tree->printing.query->path, name)
		if (query_is_name(*name, attribute->name))
			return true;
	return false;
}

static void push_pair(struct tree *tree, size_t first, struct record_pair pair)
{
	for (size_t i = first; i < tree->pairs.count; i++)
		if (tree->pairs.items[i].attribute == pair.attribute)
			return;
	pair.value = caliper_keep(&tree->printing, pair);
	vector_push(&tree->pairs, pair);
}

/* Appends a value to a path: values of the record alone have nodes, too. */
static void push_value(struct tree *tree, size_t first, struct record_pair pair)
{
	if (is_path(tree, pair.attribute))
		vector_push(&tree->path, record_node_child(tree->printing.model, 0,
							   pair.attribute, pair.value));
	else
		push_pair(tree, first, pair);
}

static void push_node(struct tree *tree, size_t first, record_node node)
{
	const struct record_model *model = tree->printing.model;

	for (; node; node = record_node_parent(model, node)) {
		struct record_pair pair = record_node_pair(model, node);

		if (is_path(tree, pair.attribute))
			vector_push(&tree->path, node);
		else
			push_pair(tree, first, pair);
	}
}

/* The child of a node of the tree, added if new. Like Caliper, the last one added comes
 * first. */
static record_node child_of(struct tree *tree, record_node parent,
			    struct record_pair pair)
{
	/* Both models have equal attributes, by number. */
	while (record_attribute_count(tree->nodes) <= pair.attribute) {
		record_attribute id =
			(record_attribute)record_attribute_count(tree->nodes);
		const struct caliper_attribute *attribute =
			caliper_attribute(&tree->printing, id);

		record_attribute_make(tree->nodes, attribute->name, attribute->type, 0);
	}
	record_node node =
		record_node_child(tree->nodes, parent, pair.attribute, pair.value);

	if (node < tree->of_node.count)
		return node;
	vector_push(&tree->of_node,
		    ((struct tree_node){.depth = tree->of_node.items[parent].depth + 1}));
	tree->of_node.items[node].next = tree->of_node.items[parent].child;
	tree->of_node.items[parent].child = node;
	return node;
}

/* Widens the columns for the values of a record. */
static void see_pair(struct tree *tree, const struct record_pair *pair)
{
	while (tree->columns.count <= pair->attribute) {
		record_attribute id = (record_attribute)tree->columns.count;

		vector_push(&tree->columns, ((struct tree_column){.attribute = id}));
	}
	struct tree_column *column = &tree->columns.items[pair->attribute];
	const struct caliper_attribute *attribute =
		caliper_attribute(&tree->printing, pair->attribute);

	if (!column->used) {
		bool own = strcmp(attribute->title, attribute->name) != 0;

		column->title =
			own || !attribute->alias ? attribute->title : attribute->alias;
		column->width = strlen(column->title);
		column->used = true;
	}
	tree->text.length = 0;
	text_add(&tree->text, "");
	caliper_add_value(&tree->text, pair->value, true);
	if (tree->text.length > column->width)
		column->width = tree->text.length;
}

static void tree_record(struct caliper_printing *printing,
			const struct caliper_record *record)
{
	struct tree *tree = (struct tree *)printing;
	struct tree_record made = {.first = tree->pairs.count};
	record_node node = 0;

	tree->path.count = 0;
	for (size_t i = 0; i < record->key_count; i++)
		push_value(tree, made.first, record->keys[i]);
	for (size_t i = 0; i < record->node_count; i++)
		push_node(tree, made.first, record->nodes[i]);
	for (size_t i = 0; i < record->pair_count; i++)
		push_value(tree, made.first, record->pairs[i]);
	if (!tree->path.count) {
		tree->pairs.count = made.first;
		return;
	}
	while (tree->path.count)
		node = child_of(tree, node,
				record_node_pair(printing->model,
						 tree->path.items[--tree->path.count]));
	made.count = tree->pairs.count - made.first;
	for (size_t i = made.first; i < tree->pairs.count; i++)
		see_pair(tree, &tree->pairs.items[i]);
	vector_push(&tree->records, made);
	struct tree_node *place = &tree->of_node.items[node];

	if (place->last_record)
		tree->records.items[place->last_record - 1].next = tree->records.count;
	else
		place->record = tree->records.count;
	place->last_record = tree->records.count;
}

static struct record_value value_of(const struct tree *tree,
				    const struct tree_record *record,
				    record_attribute attribute)
{
	for (size_t i = 0; i < record->count; i++)
		if (tree->pairs.items[record->first + i].attribute == attribute)
			return tree->pairs.items[record->first + i].value;
	return query_nothing();
}

/* A missing value comes before all others. */
static int compare_values(struct record_value a, struct record_value b)
{
	bool left = query_is_there(a), right = query_is_there(b);

	return left && right ? query_compare(a, b) : (int)left - (int)right;
}

static struct record_value least_value(struct record_value a, struct record_value b)
{
	return query_is_there(a) && compare_values(a, b) <= 0 ? a : b;
}

static struct record_value greatest_value(struct record_value a, struct record_value b)
{
	return query_is_there(a) && compare_values(a, b) >= 0 ? a : b;
}

/* By node, the extreme value of an attribute at or below it; free() it. */
static struct record_value *extremes_below(const struct tree *tree,
					   record_attribute attribute, bool most)
{
	struct record_value (*choose)(struct record_value, struct record_value) =
		most ? greatest_value : least_value;
	struct record_value *values =
		memory_allocate(tree->of_node.count * sizeof(*values));

	/* Children have greater numbers than their parents. */
	for (size_t node = tree->of_node.count; node-- > 0;) {
		const struct tree_node *at = &tree->of_node.items[node];

		values[node] = query_nothing();
		for (size_t r = at->record; r; r = tree->records.items[r - 1].next) {
			struct record_value value =
				value_of(tree, &tree->records.items[r - 1], attribute);

			if (query_is_there(value))
				values[node] = choose(values[node], value);
		}
		for (record_node child = at->child; child;
		     child = tree->of_node.items[child].next)
			values[node] = choose(values[node], values[child]);
	}
	return values;
}

struct ordered {
	size_t number, place; /* of the node, or of the record + 1; where it was */
	struct record_value value;
};

static int compare_rising(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	int order = compare_values(x->value, y->value);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_falling(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	int order = compare_values(y->value, x->value);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Records without the value come last either way. */
static int compare_records(const void *a, const void *b, void *falls)
{
	const struct ordered *x = a, *y = b;
	bool left = query_is_there(x->value), right = query_is_there(y->value);

	if (left != right)
		return left ? -1 : 1;
	return falls ? compare_falling(a, b) : compare_rising(a, b);
}

struct order VECTOR(struct ordered);

static void order_children(struct tree *tree, record_node parent,
			   const struct record_value *values, bool falls)
{
	struct tree_node *above = &tree->of_node.items[parent];
	struct order order = {0};

	for (record_node child = above->child; child;
	     child = tree->of_node.items[child].next)
		vector_push(&order,
			    ((struct ordered){child, order.count, values[child]}));
	if (order.count > 1)
		qsort(order.items, order.count, sizeof(order.items[0]),
		      falls ? compare_falling : compare_rising);
	above->child = 0;
	for (size_t i = order.count; i-- > 0;) {
		record_node child = (record_node)order.items[i].number;

		tree->of_node.items[child].next = above->child;
		above->child = child;
	}
	vector_deinit(&order);
}

static void order_records(struct tree *tree, struct tree_node *node,
			  record_attribute attribute, bool falls)
{
	struct order order = {0};

	for (size_t r = node->record; r; r = tree->records.items[r - 1].next)
		vector_push(&order,
			    ((struct ordered){r, order.count,
					      value_of(tree, &tree->records.items[r - 1],
						       attribute)}));
	if (order.count > 1)
		qsort_r(order.items, order.count, sizeof(order.items[0]), compare_records,
			falls ? tree : NULL);
	node->record = 0;
	for (size_t i = order.count; i-- > 0;) {
		tree->records.items[order.items[i].number - 1].next = node->record;
		node->record = order.items[i].number;
	}
	vector_deinit(&order);
}

static void order_by(struct tree *tree, const struct query_order *order)
{
	const struct query *query = tree->printing.query;
	record_attribute attribute;

	if (!caliper_attribute_find(&tree->printing,
				    query->columns.items[order->column].name, &attribute))
		return;
	struct record_value *values = extremes_below(tree, attribute, order->descending);

	for (record_node node = 0; node < tree->of_node.count; node++) {
		order_records(tree, &tree->of_node.items[node], attribute,
			      order->descending);
		order_children(tree, node, values, order->descending);
	}
	free(values);
}

/* Chooses the attributes to print: those that SELECT lists, or all of the records. */
static void choose_columns(struct tree *tree)
{
	const struct caliper_printing *printing = &tree->printing;
	record_attribute id;

	for (record_attribute i = 0; i < printing->attributes.count; i++) {
		const struct caliper_attribute *attribute =
			caliper_attribute(printing, i);
		bool used = i < tree->columns.count && tree->columns.items[i].used;
		bool usual = !attribute->hidden &&
			     (!attribute->global || printing->query->shows_globals);

		if (used && (usual ? printing->selection != CALIPER_LIST
				   : printing->selection == CALIPER_ALL))
			vector_push(&tree->shown, i);
	}
	if (printing->selection != CALIPER_LIST && printing->query->shows_globals)
		vector_for_each (&printing->globals, global)
			vector_push(&tree->shown, global->attribute);
	if (printing->selection != CALIPER_LIST)
		return;
	vector_for_each (&printing->query->columns, column)
		if (!column->hidden && column->kind != QUERY_COLUMN_PATH &&
		    caliper_attribute_find(printing, column->name, &id))
			vector_push(&tree->shown, id);
}

static size_t width_of(const struct tree *tree, record_attribute id)
{
	size_t width = id < tree->columns.count ? tree->columns.items[id].width : 0;

	return caliper_width(tree->printing.query, width, WIDTH_USUAL);
}

static const char *label_of(struct tree *tree, record_node node)
{
	tree->text.length = 0;
	text_add(&tree->text, "");
	caliper_add_value(&tree->text, record_node_pair(tree->nodes, node).value, true);
	return tree->text.data;
}

/* The label, or what stands in its place before one of several records. */
static void add_path(struct tree *tree, size_t depth, const char *label)
{
	size_t indent = INDENT * depth, most = tree->width - 2;
	struct text path = {0};

	text_format(&path, "%*s", (int)(indent < most ? indent : most), "");
	if (indent >= tree->width) {
		text_add(&path, "..");
	} else if (!strcmp(label, SEVERAL)) {
		text_add(&path, label);
		text_format(tree->printing.out, "%-*s ", (int)tree->width, path.data);
		text_deinit(&path);
		return;
	} else if (strlen(label) > tree->width - indent && tree->width - indent < 4) {
		text_add_bytes(&path, label, tree->width - indent);
	} else if (strlen(label) > tree->width - indent) {
		caliper_pad(&path, label, tree->width - indent, false);
		path.data[--path.length] = '\0';
	} else {
		text_add(&path, label);
	}
	caliper_pad(tree->printing.out, path.data, tree->width, false);
	text_deinit(&path);
}

static void add_cells(struct tree *tree, const struct tree_record *record)
{
	vector_for_each (&tree->shown, id) {
		struct record_value value = value_of(tree, record, *id);
		enum record_type type = caliper_attribute(&tree->printing, *id)->type;

		tree->text.length = 0;
		text_add(&tree->text, "");
		if (query_is_there(value))
			caliper_add_value(&tree->text, value, true);
		caliper_pad(tree->printing.out, tree->text.data, width_of(tree, *id),
			    caliper_is_number(type) || type == RECORD_ADDRESS);
	}
}

/* A node and its records: one stands behind the label, several below it. */
static void print_node(struct tree *tree, record_node node)
{
	const struct tree_node *at = &tree->of_node.items[node];
	bool several = at->record && tree->records.items[at->record - 1].next;

	add_path(tree, at->depth - 1, label_of(tree, node));
	for (size_t r = at->record; r; r = tree->records.items[r - 1].next) {
		if (several) {
			text_add(tree->printing.out, "\n");
			add_path(tree, at->depth - 1, SEVERAL);
		}
		add_cells(tree, &tree->records.items[r - 1]);
	}
	text_add(tree->printing.out, "\n");
}

static void print_nodes(struct tree *tree)
{
	record_node node = tree->of_node.items[0].child;

	while (node) {
		print_node(tree, node);
		if (tree->of_node.items[node].child) {
			node = tree->of_node.items[node].child;
			continue;
		}
		while (node && !tree->of_node.items[node].next)
			node = record_node_parent(tree->nodes, node);
		node = node ? tree->of_node.items[node].next : 0;
	}
}

static void tree_end(struct caliper_printing *printing)
{
	struct tree *tree = (struct tree *)printing;

	for (size_t i = printing->query->orders.count; i-- > 0;)
		order_by(tree, &printing->query->orders.items[i]);
	choose_columns(tree);
	tree->width = 4;
	for (record_node node = 1; node < tree->of_node.count; node++) {
		size_t width = strlen(label_of(tree, node)) +
			       INDENT * (tree->of_node.items[node].depth - 1);

		tree->width = width > tree->width ? width : tree->width;
	}
	tree->width = caliper_width(printing->query, tree->width, WIDTH_USUAL);
	caliper_add_globals(printing, printing->out);
	caliper_pad(printing->out, "Path", tree->width, false);
	vector_for_each (&tree->shown, id) {
		bool used = *id < tree->columns.count && tree->columns.items[*id].used;

		caliper_pad(printing->out, used ? tree->columns.items[*id].title : "",
			    width_of(tree, *id), false);
	}
	text_add(printing->out, "\n");
	print_nodes(tree);
	record_model_destroy(tree->nodes);
	vector_deinit(&tree->of_node);
	vector_deinit(&tree->records);
	vector_deinit(&tree->pairs);
	vector_deinit(&tree->columns);
	vector_deinit(&tree->shown);
	vector_deinit(&tree->path);
	text_deinit(&tree->text);
}

const struct caliper_format caliper_tree = {
	.size = sizeof(struct tree),
	.orders = true,
	.begin = tree_begin,
	.record = tree_record,
	.end = tree_end,
};
