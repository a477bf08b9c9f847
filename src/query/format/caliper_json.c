/* The JSON that cali-query prints: values of the tree are strings, others what they are.
 */
#include "query/format/caliper.h"
#include "record/cali.h"

static int compare_titles(const void *a, const void *b)
{
	const struct caliper_column *x = a, *y = b;

	if (x->in_tree != y->in_tree)
		return x->in_tree ? -1 : 1;
	return strcmp(x->title, y->title);
}

static void add_value(struct text *out, const struct caliper_column *column,
		      struct record_value value, bool quote)
{
	struct record_value number = query_number(value);
	struct text plain = {0};

	caliper_add_value(&plain, column, value, false);
	/* Addresses look like numbers, and are none. */
	if (quote || column->in_tree || !query_is_there(number) ||
	    value.type == RECORD_ADDRESS || strpbrk(plain.data, "in"))
		text_add_json(out, plain.data);
	else
		text_add(out, plain.data);
	text_deinit(&plain);
}

static bool is_nested(const struct caliper_walk *walk, const struct caliper_column *shown)
{
	const struct query_result_column *column =
		&walk->result->columns.items[shown->column];

	return column->kind == QUERY_COLUMN_ATTRIBUTE && column->attribute >= 0 &&
	       walk->result->part->keys.attributes.items[column->attribute].nested;
}

/* Nested attributes that the query lists are one member, "path". */
static void join_nested(struct caliper_walk *walk)
{
	struct caliper_column *path = NULL;
	size_t count = 0;

	vector_for_each (&walk->columns, column) {
		if (!is_nested(walk, column)) {
			walk->columns.items[count++] = *column;
		} else if (path) {
			path->path = true;
		} else {
			path = &walk->columns.items[count++];
			*path = *column;
			path->title = "path";
		}
	}
	walk->columns.count = count;
}

static void add_path(const struct query_keys *keys, uint32_t path, struct text *out)
{
	struct VECTOR(uint32_t) nodes = {0};

	for (; path; path = keys->nodes.items[path].parent)
		vector_push(&nodes, path);
	while (nodes.count) {
		text_add(out, out->length ? "/" : "");
		record_value_text(out,
				  keys->nodes.items[nodes.items[--nodes.count]].value);
	}
	vector_deinit(&nodes);
}

/* Puts the joined path of a row in its place. */
static void set_path(struct caliper_walk *walk, const struct query_row *row,
		     struct text *path)
{
	vector_for_each (&walk->columns, column) {
		if (!column->path)
			continue;
		path->length = 0;
		text_add(path, "");
		add_path(&walk->result->part->keys, row->path, path);
		if (path->length)
			walk->cells[column->column] = record_string(path->data);
	}
}

static void add_row(struct caliper_walk *walk, struct text *out)
{
	const struct query *query = walk->result->query;
	const char *before = query_option(query, "pretty") ? "\n\t" : "";
	bool quote = query_option(query, "quote-all");
	const char *comma = "";

	text_add(out, "{");
	vector_for_each (&walk->columns, column) {
		struct record_value value = walk->cells[column->column];

		if (!query_is_there(value))
			continue;
		text_format(out, "%s%s", comma, before);
		text_add_json(out, column->title);
		text_add(out, ":");
		if (value.type == RECORD_BOOL && !quote && !column->in_tree)
			text_add(out, value.u ? "true" : "false");
		else
			add_value(out, column, value, quote);
		comma = ",";
	}
	text_add(out, *before ? "\n}" : "}");
}

static void add_globals(const struct query_result *result, const char *indent,
			struct text *out)
{
	struct text value = {0};
	const char *comma = "";

	text_add(out, ",\n\"globals\": {\n");
	vector_for_each (&result->part->runs, run) {
		vector_for_each (run, global) {
			value.length = 0;
			text_add(&value, "");
			record_value_text(&value, global->value);
			text_format(out, "%s%s", comma, indent);
			text_add_json(out, global->name);
			text_add(out, ": ");
			text_add_json(out, value.data);
			comma = ",\n";
		}
	}
	text_add(out, "\n}");
	text_deinit(&value);
}

static void add_said(struct text *out, const char *what, const char *said)
{
	if (!said)
		return;
	text_format(out, ",\"%s\": ", what);
	text_add_json(out, said);
}

/* Whether SELECT, if there is one, names the attribute. */
static bool is_selected(const struct query *query, const char *name)
{
	vector_for_each (&query->columns, column)
		if (column->kind == QUERY_COLUMN_ALL || !strcmp(column->name, name))
			return true;
	return !query->selects;
}

/* A member of "attributes"; `type`: QUERY_NOTHING where there is none. */
static void add_attribute(struct text *out, const char *before, const char *name,
			  const struct query_attribute *attribute)
{
	const char *said = NULL, *value;

	text_add(out, before);
	text_add_json(out, name);
	text_format(out, ": {\"is_global\": %s,\"is_nested\": %s",
		    attribute->global ? "true" : "false",
		    attribute->nested ? "true" : "false");
	add_said(out, "attribute.alias", attribute->alias);
	add_said(out, "attribute.unit", attribute->unit);
	while ((said = query_said_next(attribute->said, said, &value)))
		add_said(out, said, value);
	add_said(out, "cali.attribute.type",
		 (int)attribute->type == QUERY_NOTHING ? NULL
						       : cali_type_name(attribute->type));
	text_add(out, "}");
}

/* What operators made, by the names that they give it. */
static void add_aggregates(const struct caliper_walk *walk, const char *before,
			   struct text *out)
{
	vector_for_each (&walk->columns, shown) {
		const struct query_result_column *column =
			&walk->result->columns.items[shown->column];
		struct query_attribute made = {.unit = column->unit,
					       .type = QUERY_NOTHING};

		if (column->kind != QUERY_COLUMN_AGGREGATE)
			continue;
		if (strcmp(column->title, column->name) != 0)
			made.alias = column->title;
		add_attribute(out, before, column->name, &made);
	}
}

/* Globals that no record has; those of the first run, which others have, too. */
static void add_global_attributes(const struct query_result *result, const char *before,
				  struct text *out)
{
	const struct query_keys *keys = &result->part->keys;

	if (!result->part->runs.count)
		return;
	vector_for_each (&result->part->runs.items[0], global) {
		bool known = !is_selected(result->query, global->name);

		vector_for_each (&keys->attributes, attribute)
			known |= !strcmp(attribute->name, global->name);
		if (!known)
			add_attribute(
				out, before, global->name,
				&(struct query_attribute){.type = global->value.type,
							  .global = true});
	}
}

static void add_attributes(const struct caliper_walk *walk, const char *indent,
			   struct text *out)
{
	const struct query_result *result = walk->result;
	bool separate = query_option(result->query, "separate-nested");
	struct text before = {0}, members = {0};

	text_format(&before, ",\n%s", indent);
	vector_for_each (&result->part->keys.attributes, attribute)
		if (!attribute->hidden && (!attribute->nested || separate) &&
		    is_selected(result->query, attribute->name))
			add_attribute(&members, before.data, attribute->name, attribute);
	add_aggregates(walk, before.data, &members);
	add_global_attributes(result, before.data, &members);
	/* The first comma separates nothing. */
	text_format(out, ",\n\"attributes\": {%s\n}",
		    members.length ? members.data + 1 : "");
	text_deinit(&members);
	text_deinit(&before);
}

void query_print_caliper_json(struct query_result *result,
			      const struct query_style *style, struct text *out)
{
	bool object = query_option(result->query, "object");
	const char *indent = query_option(result->query, "pretty") ? "\t" : "";
	struct caliper_walk walk;
	struct text path = {0};

	if (query_option(result->query, "split")) {
		query_print_json_split(result, style, out);
		return;
	}
	caliper_walk_init(&walk, result, true);
	if (!query_option(result->query, "separate-nested"))
		join_nested(&walk);
	if (walk.columns.count)
		qsort(walk.columns.items, walk.columns.count,
		      sizeof(walk.columns.items[0]), compare_titles);
	text_add(out, object ? "{\n\"records\": [\n" : "[\n");
	vector_for_each (&result->rows, row) {
		query_result_cells(result, row, walk.cells);
		set_path(&walk, row, &path);
		text_add(out, row == result->rows.items ? "" : ",\n");
		add_row(&walk, out);
		query_give(style, out);
	}
	text_add(out, "\n]");
	if (object) {
		add_globals(result, indent, out);
		add_attributes(&walk, indent, out);
		text_add(out, "\n}");
	}
	text_add(out, "\n");
	text_deinit(&path);
	caliper_walk_deinit(&walk);
}
