/* The format `cali`, for readers of LLNL's Caliper: rows as records of a .cali file. */
#include "query/format/cali.h"

#include "query/format/cells.h"
#include "record/cali_writer.h"
#include "record/model.h"
#include "record/value.h"

struct writing {
	struct query_result *result;
	struct record_model *model;
	struct cali_writer *writer;
	/* Those of the keys come first, then the columns with results. */
	struct VECTOR(struct query_kind) kinds;
	struct VECTOR(record_attribute) attributes;
	struct VECTOR(struct record_pair) pairs; /* of the row at hand */
	struct query_texts texts;                /* of its pairs */
	bool *seen;                              /* by key: its values are in `kinds` */
	record_node *node_of;                    /* by key; 0: not known */
	struct VECTOR(uint32_t) chain;           /* scratch of put_key */
	record_node node;                        /* of the row at hand */
};

typedef void (*visitor)(struct writing *writing, size_t kind, struct record_value value);

static const struct query_keys *keys_of(const struct writing *writing)
{
	return &writing->result->part->keys;
}

/* The cells of a row, and the results of operators. */
static void each_cell(struct writing *writing, const struct query_row *row,
		      struct record_value *cells, visitor visit)
{
	size_t first = keys_of(writing)->attributes.count;
	const struct query_result *result = writing->result;
	const struct query_part *part = result->part;

	if (!query_is_aggregating(result->query)) {
		const struct query_raw_row *raw = &part->rows.items[row->number];

		for (size_t i = 0; i < raw->cells; i++) {
			const struct query_cell *cell =
				&part->cells.items[raw->first + i];

			visit(writing, cell->attribute, cell->value);
		}
	}
	query_result_cells(writing->result, row, cells);
	for (size_t i = 0; i < result->columns.count; i++) {
		const struct query_result_column *column = &result->columns.items[i];

		if (column->kind == QUERY_COLUMN_AGGREGATE && !column->hidden &&
		    query_is_there(cells[i]))
			visit(writing, first + i, cells[i]);
	}
}

static void see_value(struct writing *writing, size_t kind, struct record_value value)
{
	query_kind_see(&writing->kinds.items[kind], value);
}

/* Notes the types of a row's values in the tree, unless known from other rows. */
static void see_key(struct writing *writing, uint32_t key)
{
	const struct query_key_node *nodes = keys_of(writing)->nodes.items;

	for (; key && !writing->seen[key]; key = nodes[key].parent) {
		writing->seen[key] = true;
		see_value(writing, nodes[key].attribute, nodes[key].value);
	}
}

static void describe_attribute(struct writing *writing, record_attribute id,
			       const char *name, const char *said)
{
	if (said)
		record_attribute_describe(writing->model, id,
					  record_attribute_make(writing->model, name,
								RECORD_STRING,
								RECORD_SKIP_EVENTS),
					  record_string(said));
}

/* Describes a column: metadata of SELECT goes before that of the file. */
static void dress_attribute(struct writing *writing, record_attribute id,
			    const char *name, const struct query_attribute *attribute)
{
	const char *alias = attribute ? attribute->alias : NULL;
	const char *unit = attribute ? attribute->unit : NULL;

	vector_for_each (&writing->result->columns, column) {
		if (strcmp(column->name, name) != 0)
			continue;
		alias = strcmp(column->title, name) ? column->title : alias;
		unit = column->unit ? column->unit : unit;
	}
	describe_attribute(writing, id, "attribute.alias", alias);
	describe_attribute(writing, id, "attribute.unit", unit);
	if (attribute && attribute->iteration)
		record_attribute_describe(
			writing->model, id,
			record_attribute_make(writing->model, "class.iteration",
					      RECORD_BOOL, RECORD_SKIP_EVENTS),
			(struct record_value){.type = RECORD_BOOL, .u = 1});
}

static void make_attributes(struct writing *writing)
{
	const struct query_keys *keys = keys_of(writing);
	const struct query_kind *kind = writing->kinds.items;

	vector_for_each (&keys->attributes, attribute) {
		enum record_type type = query_kind_type(kind++, attribute->type);
		uint32_t properties = attribute->properties & ~RECORD_NESTED;

		properties |= attribute->nested ? RECORD_NESTED : 0;
		record_attribute id = record_attribute_make(
			writing->model, attribute->name, type, properties);

		vector_push(&writing->attributes, id);
		dress_attribute(writing, id, attribute->name, attribute);
	}
	vector_for_each (&writing->result->columns, column) {
		record_attribute id = 0;

		if (column->kind == QUERY_COLUMN_AGGREGATE && kind->seen) {
			id = record_attribute_make(writing->model, column->name,
						   query_kind_type(kind, RECORD_STRING),
						   RECORD_AS_VALUE | RECORD_SCOPE_THREAD |
							   RECORD_SKIP_EVENTS);
			dress_attribute(writing, id, column->name, NULL);
		}
		kind++;
		vector_push(&writing->attributes, id);
	}
}

static void put_value(struct writing *writing, size_t kind, struct record_value value)
{
	record_attribute id = writing->attributes.items[kind];
	struct record_pair pair = {
		id, query_fit(&writing->texts, record_attribute_type(writing->model, id),
			      value)};

	if (record_attribute_properties(writing->model, id) &
	    (RECORD_AS_VALUE | RECORD_AGGREGATABLE))
		vector_push(&writing->pairs, pair);
	else
		writing->node =
			record_node_child(writing->model, writing->node, id, pair.value);
}

/* Writes a row's attributes of the tree as a node, made once for each key, and its others
 * as values. */
static void put_key(struct writing *writing, uint32_t key)
{
	const struct query_key_node *nodes = keys_of(writing)->nodes.items;

	writing->chain.count = 0;
	for (; key && !writing->node_of[key]; key = nodes[key].parent)
		vector_push(&writing->chain, key);
	writing->node = writing->node_of[key];
	while (writing->chain.count) {
		key = writing->chain.items[--writing->chain.count];
		put_value(writing, nodes[key].attribute, nodes[key].value);
		if (!writing->pairs.count)
			writing->node_of[key] = writing->node;
	}
}

static void write_globals(struct writing *writing)
{
	vector_for_each (&writing->result->part->runs, run)
		vector_for_each (run, global)
			cali_writer_global(writing->writer,
					   record_attribute_make(writing->model,
								 global->name,
								 global->value.type,
								 global->properties),
					   global->value);
}

static void write_rows(struct writing *writing)
{
	struct query_result *result = writing->result;
	struct record_value *cells =
		memory_allocate((result->columns.count + 1) * sizeof(*cells));

	vector_for_each (&result->rows, row) {
		see_key(writing, query_result_key(result, row));
		each_cell(writing, row, cells, see_value);
	}
	make_attributes(writing);
	vector_for_each (&result->rows, row) {
		writing->pairs.count = writing->texts.used = writing->node = 0;
		put_key(writing, query_result_key(result, row));
		each_cell(writing, row, cells, put_value);
		cali_writer_record(writing->writer, writing->node, writing->pairs.items,
				   writing->pairs.count);
	}
	free(cells);
}

void query_print_cali(struct query_result *result, const struct query_style *style,
		      struct text *out)
{
	struct writing writing = {.result = result, .model = record_model_create()};
	size_t kinds = result->part->keys.attributes.count + result->columns.count;

	(void)style;
	text_add(out, "");
	writing.writer = cali_writer_create(out);
	cali_writer_use(writing.writer, writing.model);
	vector_reserve(&writing.kinds, kinds + 1);
	memset(writing.kinds.items, 0, (kinds + 1) * sizeof(struct query_kind));
	writing.seen = memory_allocate_zeroed(result->part->keys.nodes.count,
					      sizeof(*writing.seen));
	writing.node_of = memory_allocate_zeroed(result->part->keys.nodes.count,
						 sizeof(*writing.node_of));
	vector_for_each (&result->columns, column)
		column->unread = column->kind != QUERY_COLUMN_AGGREGATE;
	write_rows(&writing);
	write_globals(&writing);
	cali_writer_finish(writing.writer);
	record_model_destroy(writing.model);
	vector_deinit(&writing.kinds);
	vector_deinit(&writing.attributes);
	vector_deinit(&writing.pairs);
	query_texts_deinit(&writing.texts);
	vector_deinit(&writing.chain);
	free(writing.seen);
	free(writing.node_of);
}

static void *create_writing(const struct query *query, struct text *out)
{
	(void)query;
	return cali_writer_create(out);
}

static void use_model(void *sink, const struct record_model *model, const char *path)
{
	(void)path;
	cali_writer_use(sink, model);
}

static void pass_record(void *sink, record_node node, const struct record_pair *pairs,
			size_t count)
{
	cali_writer_record(sink, node, pairs, count);
}

static void pass_entries(void *sink, const record_node *paths, size_t path_count,
			 const struct record_pair *pairs, size_t count)
{
	cali_writer_entries(sink, paths, path_count, pairs, count);
}

static void pass_global(void *sink, record_attribute attribute, struct record_value value)
{
	cali_writer_global(sink, attribute, value);
}

static void finish_writing(void *sink, struct text *warnings)
{
	(void)warnings;
	cali_writer_finish(sink);
}

const struct query_sink query_sink_cali = {
	.create = create_writing,
	.use = use_model,
	.record = pass_record,
	.entries = pass_entries,
	.global = pass_global,
	.finish = finish_writing,
};
