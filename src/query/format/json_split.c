/* What Hatchet and Thicket read: rows as lists of cells, and the paths as a tree. */
#include "query/format.h"
#include "query/format/cells.h"
#include "query/format/paths.h"

#include <inttypes.h>

/* The path of a row as a number of a node. */
struct split {
	struct query_result *result;
	size_t *columns; /* that are shown; the path is the last */
	struct query_kind *kinds;
	size_t count;
	bool path;
	uint32_t *node_of; /* by key: number of the node + 1 */
	struct text nodes;
	uint32_t node_count;
};

static uint32_t add_node(struct split *split, uint32_t key)
{
	const struct query_key_node *node = &split->result->part->keys.nodes.items[key];
	struct text label = {0};

	text_add(&label, "");
	record_value_text(&label, node->value);
	text_add(&split->nodes, split->node_count ? ",\n  " : "\n  ");
	text_add(&split->nodes, "{\"label\": ");
	text_add_json(&split->nodes, label.data);
	text_add(&split->nodes, ", \"column\": \"path\"");
	if (node->parent)
		text_format(&split->nodes, ", \"parent\": %" PRIu32,
			    split->node_of[node->parent] - 1);
	text_add(&split->nodes, "}");
	text_deinit(&label);
	return split->node_of[key] = ++split->node_count;
}

/* Parents come before their children. */
static uint32_t node_of(struct split *split, uint32_t key)
{
	struct VECTOR(uint32_t) missing = {0};

	for (uint32_t at = key; at && !split->node_of[at];
	     at = split->result->part->keys.nodes.items[at].parent)
		vector_push(&missing, at);
	while (missing.count)
		add_node(split, missing.items[--missing.count]);
	vector_deinit(&missing);
	return split->node_of[key];
}

static void add_row(struct split *split, const struct query_row *row,
		    const struct record_value *cells, struct text *out)
{
	for (size_t i = 0; i < split->count; i++) {
		struct record_value cell = cells[split->columns[i]];

		text_add(out, i ? ", " : "");
		if (query_is_there(cell)) {
			query_kind_see(&split->kinds[i], cell);
			record_value_json(out, cell);
		} else {
			text_add(out, "null");
		}
	}
	if (!split->path)
		return;
	text_add(out, split->count ? ", " : "");
	if (row->path)
		text_format(out, "%" PRIu32, node_of(split, row->path) - 1);
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

static void add_said(const char *what, const char *said, struct text *out)
{
	if (!said)
		return;
	text_format(out, ", \"attribute.%s\": ", what);
	text_add_json(out, said);
}

/* Of the type only what numbers do not tell: record/split.h. */
static void add_column_metadata(const struct split *split, size_t number,
				struct text *out)
{
	const struct query_result_column *column =
		&split->result->columns.items[split->columns[number]];
	const struct query_attribute *attribute =
		column->attribute < 0
			? NULL
			: &split->result->part->keys.attributes.items[column->attribute];
	enum record_type type = query_kind_type(
		&split->kinds[number],
		attribute ? attribute->type : (enum record_type)QUERY_NOTHING);

	text_add(out, "{\"is_value\": true");
	add_said("alias", attribute ? attribute->alias : NULL, out);
	add_said("unit",
		 column->unit ? column->unit
		 : attribute  ? attribute->unit
			      : NULL,
		 out);
	if (split->kinds[number].seen && type != RECORD_STRING && type != RECORD_UINT &&
	    type != RECORD_BOOL)
		add_said("type", record_type_name(type), out);
	text_add(out, "}");
}

static void add_columns(const struct split *split, struct text *out)
{
	text_add(out, "],\n\"columns\": [");
	for (size_t i = 0; i < split->count; i++) {
		text_add(out, i ? ", " : "");
		text_add_json(out, split->result->columns.items[split->columns[i]].title);
	}
	if (split->path)
		text_add(out, split->count ? ", \"path\"" : "\"path\"");
	text_add(out, "],\n\"column_metadata\": [");
	for (size_t i = 0; i < split->count; i++) {
		text_add(out, i ? ", " : "");
		add_column_metadata(split, i, out);
	}
	if (split->path)
		text_format(out, "%s{\"is_value\": false}", split->count ? ", " : "");
}

/* Run metadata are members of the object itself, as strings. */
static void add_metadata(const struct query_result *result, struct text *out)
{
	struct text value = {0};

	if (!result->part->runs.count)
		return;
	vector_for_each (&result->part->runs.items[0], global) {
		value.length = 0;
		text_add(&value, "");
		record_value_text(&value, global->value);
		text_add(out, ",\n");
		text_add_json(out, global->name);
		text_add(out, ": ");
		text_add_json(out, value.data);
	}
	text_deinit(&value);
}

void query_print_json_split(struct query_result *result, const struct query_style *style,
			    struct text *out)
{
	struct split split = {.result = result};
	size_t visible, *columns = query_result_visible(result, &visible);

	(void)style;
	split.columns = columns;
	for (size_t i = 0; i < visible; i++) {
		bool path = result->columns.items[columns[i]].kind == QUERY_COLUMN_PATH;

		split.path |= path;
		if (!path)
			columns[split.count++] = columns[i];
	}
	split.kinds = memory_allocate_zeroed(visible + 1, sizeof(*split.kinds));
	split.node_of = memory_allocate_zeroed(result->part->keys.nodes.count,
					       sizeof(*split.node_of));
	add_data(&split, out);
	add_columns(&split, out);
	text_add(out, "],\n\"nodes\": [");
	text_add(out, split.nodes.data ? split.nodes.data : "");
	text_add(out, "]");
	add_metadata(result, out);
	text_add(out, "\n}\n");
	text_deinit(&split.nodes);
	free(split.node_of);
	free(split.kinds);
	free(columns);
}
