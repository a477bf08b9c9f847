/* Records for the formats of cali-query: those of files, or those of a result. */
#include "query/format/caliper_result.h"

#include "query/format/caliper.h"
#include "query/format/cells.h"
#include "query/format/output.h"
#include "query/match.h"
#include "record/cali_writer.h"
#include "record/model.h"
#include "record/value.h"

#include <stdlib.h>

static void *create_writing(const struct query *query, struct text *out)
{
	return caliper_printing_create(query, out);
}

static void use_model(void *sink, const struct record_model *model, const char *path)
{
	(void)path;
	caliper_printing_use(sink, model);
}

static void pass_entries(void *sink, const record_node *paths, size_t path_count,
			 const struct record_pair *pairs, size_t count)
{
	caliper_printing_record(sink, paths, path_count, pairs, count);
}

static void pass_global(void *sink, record_attribute attribute, struct record_value value)
{
	caliper_printing_global(sink, attribute, value);
}

static void give_to(void *sink, struct query_part *part)
{
	struct caliper_printing *printing = sink;

	printing->part = part;
}

static void finish_writing(void *sink, struct text *warnings)
{
	(void)warnings;
	caliper_printing_finish(sink);
}

const struct query_sink query_sink_caliper = {
	.create = create_writing,
	.use = use_model,
	.entries = pass_entries,
	.global = pass_global,
	.give_to = give_to,
	.finish = finish_writing,
};

/* The attributes written for an operator: its result, and its partial values. */
struct written {
	size_t column; /* of the result, or SIZE_MAX: it is not shown */
	struct query_kind kind;
	bool there; /* the files have its attributes */
	record_attribute result, partials[QUERY_PARTIALS_MAX];
};

struct writing {
	struct query_result *result;
	struct caliper_printing *printing;
	struct VECTOR(struct query_kind) kinds; /* by attribute of the keys */
	struct caliper_numbers attributes;      /* the same here */
	struct VECTOR(struct written) aggregates;
	record_node *path_of; /* by key; 0: not known */
	struct VECTOR(uint32_t) chain;
	struct VECTOR(struct record_pair) keys, pairs; /* of the record at hand */
	struct query_texts texts;                      /* of its values */
};

static const struct query_keys *keys_of(const struct writing *writing)
{
	return &writing->result->part->keys;
}

/* The value in the type of its attribute, which holds it. */
static struct record_value fit_value(struct writing *writing, record_attribute id,
				     struct record_value value)
{
	return query_fit(&writing->texts, caliper_attribute(writing->printing, id)->type,
			 value);
}

static void add_said(struct writing *writing, record_attribute id, const char *name,
		     const char *said)
{
	const struct caliper_attribute about = {
		.name = name, .type = RECORD_STRING, .properties = RECORD_SKIP_EVENTS};

	if (said)
		record_attribute_describe(
			writing->printing->model, id,
			caliper_attribute_make(writing->printing, &about),
			record_string(said));
}

/* Adds the metadata of SELECT to a new attribute. */
static void dress_attribute(struct writing *writing, record_attribute id)
{
	const char *name = caliper_attribute(writing->printing, id)->name;

	vector_for_each (&writing->result->query->columns, column) {
		if (column->kind == QUERY_COLUMN_ALL || strcmp(column->name, name) != 0)
			continue;
		add_said(writing, id, "attribute.unit", column->unit);
		add_said(writing, id, "attribute.alias", column->alias);
	}
}

static void make_attribute(struct writing *writing, size_t number)
{
	const struct query_attribute *attribute =
		&keys_of(writing)->attributes.items[number];
	enum record_type type =
		query_kind_type(&writing->kinds.items[number], attribute->type);
	const char *name = NULL, *said;
	const struct caliper_attribute as = {
		.name = attribute->name,
		.alias = attribute->alias,
		.type = (int)type == QUERY_NOTHING ? RECORD_STRING : type,
		.properties = attribute->properties,
		.nested = attribute->properties & RECORD_NESTED,
		.hidden = attribute->hidden,
		.global = attribute->global,
		.value = !attribute->in_tree,
	};
	record_attribute id = caliper_attribute_make(writing->printing, &as);

	vector_push(&writing->attributes, id);
	while ((name = query_said_next(attribute->said, name, &said)))
		add_said(writing, id, name, said);
	add_said(writing, id, "attribute.unit", attribute->unit);
	add_said(writing, id, "attribute.alias", attribute->alias);
	if ((int)attribute->type == QUERY_NOTHING)
		dress_attribute(writing, id);
}

/* Finds the types of the values of each attribute. */
static void see_values(struct writing *writing)
{
	const struct query_part *part = writing->result->part;

	vector_reserve(&writing->kinds, part->keys.attributes.count + 1);
	memset(writing->kinds.items, 0,
	       (part->keys.attributes.count + 1) * sizeof(struct query_kind));
	for (size_t i = 1; i < part->keys.nodes.count; i++) {
		const struct query_key_node *node = &part->keys.nodes.items[i];

		query_kind_see(&writing->kinds.items[node->attribute], node->value);
	}
	vector_for_each (&part->cells, cell)
		query_kind_see(&writing->kinds.items[cell->attribute], cell->value);
}

/* The attribute that an operator takes; NULL: no file has it. */
static const struct query_attribute *
operand(const struct writing *writing, const struct query_aggregate *aggregate, int field)
{
	const char *name =
		writing->result->query->fields.items[aggregate->fields[field]].name;

	vector_for_each (&keys_of(writing)->attributes, attribute)
		if (query_is_name(name, attribute->name))
			return attribute;
	return NULL;
}

/* Whether the files have what an operator takes; else it makes nothing. */
static bool is_there(const struct writing *writing,
		     const struct query_aggregate *aggregate)
{
	bool there = true;

	for (int i = 0; i < aggregate->op->fields; i++)
		there &= operand(writing, aggregate, i) != NULL;
	return there;
}

static enum record_type type_of(const struct writing *writing,
				const struct query_aggregate *aggregate, int field)
{
	const struct query_attribute *attribute = operand(writing, aggregate, field);

	return attribute && (int)attribute->type != QUERY_NOTHING ? attribute->type
								  : RECORD_DOUBLE;
}

static record_attribute make_result(struct writing *writing, const char *name,
				    enum record_type type, uint32_t more)
{
	const struct caliper_attribute as = {
		.name = name,
		.type = type,
		.properties =
			RECORD_AS_VALUE | RECORD_AGGREGATABLE | RECORD_SKIP_EVENTS | more,
		.hidden = more & RECORD_HIDDEN,
		.value = true,
	};
	size_t known = writing->printing->attributes.count;
	record_attribute id = caliper_attribute_make(writing->printing, &as);

	if (id >= known)
		dress_attribute(writing, id);
	return id;
}

static void make_partials(struct writing *writing,
			  const struct query_aggregate *aggregate,
			  struct written *written)
{
	const struct query_partial *partial = aggregate->op->partials;
	struct text name = {0};

	for (int i = 0; partial && partial->name; i++, partial++) {
		enum record_type type =
			partial->alike ? type_of(writing, aggregate, partial->field)
				       : partial->type;

		name.length = 0;
		text_format(&name, "%s#%s", partial->name,
			    writing->result->query->fields
				    .items[aggregate->fields[partial->field]]
				    .name);
		written->partials[i] =
			make_result(writing, name.data, type, RECORD_HIDDEN);
	}
	text_deinit(&name);
}

static void make_aggregate(struct writing *writing,
			   const struct query_aggregate *aggregate,
			   struct written *written)
{
	unsigned flags = aggregate->op->flags;
	enum record_type own = flags & QUERY_REAL ? RECORD_DOUBLE
			       : flags & QUERY_ALIKE && aggregate->op->fields
				       ? type_of(writing, aggregate, 0)
			       : aggregate->op->fields ? RECORD_DOUBLE
						       : RECORD_UINT;

	if (!(flags & QUERY_REAL))
		own = query_kind_type(&written->kind, own);
	written->result = make_result(writing, aggregate->name, own, 0);
}

/* Adds attributes of operators: with `late` those with partial values, else the others.
 */
static void make_aggregates(struct writing *writing, size_t known, bool late)
{
	const struct query *query = writing->result->query;

	for (size_t i = 0; i < query->aggregates.count; i++) {
		struct written *written = &writing->aggregates.items[i];
		const struct query_aggregate *aggregate = &query->aggregates.items[i];
		size_t at = writing->result->part->known_at.items[i];

		if (!written->there || (!late && (at ? at - 1 : SIZE_MAX) != known))
			continue;
		if (!late)
			make_partials(writing, aggregate, written);
		if (late == (aggregate->op->partials != NULL))
			make_aggregate(writing, aggregate, written);
	}
}

/* All attributes, in the order in which Caliper makes them. */
static void make_attributes(struct writing *writing)
{
	size_t count = keys_of(writing)->attributes.count;

	for (size_t i = 0; i < count; i++) {
		make_aggregates(writing, i, false);
		make_attribute(writing, i);
	}
	make_aggregates(writing, count, false);
	make_aggregates(writing, SIZE_MAX, false);
	make_aggregates(writing, 0, true);
}

static void find_aggregates(struct writing *writing)
{
	struct query_result *result = writing->result;
	struct record_value *cells =
		memory_allocate((result->columns.count + 1) * sizeof(*cells));

	vector_for_each (&result->query->aggregates, aggregate) {
		struct written *written = vector_add(&writing->aggregates);

		written->column = SIZE_MAX;
		written->there = is_there(writing, aggregate);
	}
	for (size_t i = result->columns.count; i-- > 0;)
		if (result->columns.items[i].kind == QUERY_COLUMN_AGGREGATE)
			writing->aggregates.items[result->columns.items[i].aggregate]
				.column = i;
	vector_for_each (&result->rows, row) {
		query_result_cells(result, row, cells);
		vector_for_each (&writing->aggregates, written)
			if (written->column != SIZE_MAX &&
			    query_is_there(cells[written->column]))
				query_kind_see(&written->kind, cells[written->column]);
	}
	free(cells);
}

/* A node below another one for the innermost part of a key. */
static record_node child_of(struct writing *writing, record_node above,
			    const struct query_key_node *node)
{
	record_attribute id = writing->attributes.items[node->attribute];

	return record_node_child(writing->printing->model, above, id,
				 fit_value(writing, id, node->value));
}

/* The path of a key, which is its beginning. */
static record_node path_node(struct writing *writing, uint32_t key)
{
	const struct query_key_node *nodes = keys_of(writing)->nodes.items;

	writing->chain.count = 0;
	for (; key && !writing->path_of[key]; key = nodes[key].parent)
		vector_push(&writing->chain, key);
	record_node node = key ? writing->path_of[key] : 0;

	while (writing->chain.count) {
		key = writing->chain.items[--writing->chain.count];
		node = writing->path_of[key] = child_of(writing, node, &nodes[key]);
	}
	return node;
}

/* The node of a row's values outside of its path, which are a second path. */
static record_node other_node(struct writing *writing, uint32_t key, uint32_t path)
{
	const struct query_keys *keys = keys_of(writing);
	record_node node = 0;

	writing->chain.count = 0;
	for (; key != path; key = keys->nodes.items[key].parent)
		vector_push(&writing->chain, key);
	while (writing->chain.count) {
		const struct query_key_node *part =
			&keys->nodes.items[writing->chain.items[--writing->chain.count]];
		record_attribute id = writing->attributes.items[part->attribute];

		if (keys->attributes.items[part->attribute].in_tree)
			node = child_of(writing, node, part);
		else
			vector_push(&writing->keys,
				    ((struct record_pair){
					    id, fit_value(writing, id, part->value)}));
	}
	return node;
}

static void put_value(struct writing *writing, record_attribute id,
		      struct record_value value)
{
	if (query_is_there(value))
		vector_push(&writing->pairs,
			    ((struct record_pair){id, fit_value(writing, id, value)}));
}

static void put_partials(struct writing *writing, size_t group, size_t number)
{
	const struct query_aggregate *aggregate =
		&writing->result->query->aggregates.items[number];
	const struct query_partial *partial = aggregate->op->partials;
	const void *state = query_part_exclusive(writing->result->part, group, number);

	for (int i = 0; partial && partial->name && state; i++, partial++)
		put_value(writing, writing->aggregates.items[number].partials[i],
			  partial->value(state));
}

static void put_results(struct writing *writing, size_t group,
			const struct record_value *cells)
{
	for (size_t i = 0; i < writing->aggregates.count; i++) {
		const struct written *written = &writing->aggregates.items[i];
		unsigned flags = writing->result->query->aggregates.items[i].op->flags;
		bool first = flags & QUERY_RESULT_FIRST;

		if (!written->there || written->column == SIZE_MAX)
			continue;
		bool there = query_is_there(cells[written->column]);

		/* Half of a ratio may be in this record, and half in another one. */
		if (!first && (there || !(flags & QUERY_OF_TOTAL)))
			put_partials(writing, group, i);
		if (!there)
			continue;
		put_value(writing, written->result, cells[written->column]);
		if (first)
			put_partials(writing, group, i);
	}
}

static void put_cells(struct writing *writing, const struct query_row *row)
{
	const struct query_part *part = writing->result->part;
	const struct query_raw_row *raw = &part->rows.items[row->number];

	for (size_t i = 0; i < raw->cells; i++) {
		const struct query_cell *cell = &part->cells.items[raw->first + i];

		put_value(writing, writing->attributes.items[cell->attribute],
			  cell->value);
	}
}

static void write_row(struct writing *writing, const struct query_row *row,
		      struct record_value *cells)
{
	struct query_result *result = writing->result;
	uint32_t key = query_result_key(result, row);
	uint32_t path = query_part_path(result->part, key);
	record_node nodes[2];
	struct caliper_record record = {.nodes = nodes};

	writing->keys.count = writing->pairs.count = writing->texts.used = 0;
	if ((nodes[0] = other_node(writing, key, path)))
		record.node_count++;
	if ((nodes[record.node_count] = path_node(writing, path)))
		record.node_count++;
	if (query_is_aggregating(result->query)) {
		query_result_cells(result, row, cells);
		put_results(writing, row->number, cells);
	} else {
		put_cells(writing, row);
	}
	record.keys = writing->keys.items;
	record.key_count = writing->keys.count;
	record.pairs = writing->pairs.items;
	record.pair_count = writing->pairs.count;
	writing->printing->format->record(writing->printing, &record);
}

/* Writes the globals of all runs. */
static void write_globals(struct writing *writing)
{
	struct record_model *model = record_model_create();
	record_attribute id;

	caliper_printing_use(writing->printing, model);
	vector_for_each (&writing->result->part->runs, run) {
		vector_for_each (run, global) {
			id = record_attribute_make(model, global->name,
						   global->value.type,
						   global->properties);
			caliper_printing_global(writing->printing, id, global->value);
		}
	}
	record_model_destroy(model);
}

void query_print_caliper(struct query_result *result, const struct query_style *style,
			 struct text *out)
{
	struct writing writing = {.result = result};
	size_t keys = result->part->keys.nodes.count;
	struct record_value *cells =
		memory_allocate((result->columns.count + 1) * sizeof(*cells));

	text_add(out, "");
	writing.printing = caliper_printing_create(result->query, out);
	writing.printing->style = style;
	writing.path_of = memory_allocate_zeroed(keys, sizeof(record_node));
	vector_for_each (&result->columns, column)
		column->unread = column->kind != QUERY_COLUMN_AGGREGATE;
	see_values(&writing);
	find_aggregates(&writing);
	make_attributes(&writing);
	vector_for_each (&result->rows, row) {
		write_row(&writing, row, cells);
		query_give(style, out);
	}
	write_globals(&writing);
	caliper_printing_finish(writing.printing);
	vector_deinit(&writing.kinds);
	vector_deinit(&writing.attributes);
	vector_deinit(&writing.aggregates);
	vector_deinit(&writing.chain);
	vector_deinit(&writing.keys);
	vector_deinit(&writing.pairs);
	query_texts_deinit(&writing.texts);
	free(writing.path_of);
	free(cells);
}

/* Records as a .cali file. */
struct cali {
	struct caliper_printing printing;
	struct cali_writer *writer;
};

static void cali_begin(struct caliper_printing *printing)
{
	struct cali *cali = (struct cali *)printing;

	cali->writer = cali_writer_create(printing->out);
	cali_writer_use(cali->writer, printing->model);
}

static void cali_record(struct caliper_printing *printing,
			const struct caliper_record *record)
{
	struct cali *cali = (struct cali *)printing;
	struct VECTOR(struct record_pair) pairs = {0};

	for (size_t i = 0; i < record->key_count; i++)
		vector_push(&pairs, record->keys[i]);
	for (size_t i = 0; i < record->pair_count; i++)
		vector_push(&pairs, record->pairs[i]);
	cali_writer_entries(cali->writer, record->nodes, record->node_count, pairs.items,
			    pairs.count);
	vector_deinit(&pairs);
}

static void cali_end(struct caliper_printing *printing)
{
	struct cali *cali = (struct cali *)printing;

	vector_for_each (&printing->globals, global)
		cali_writer_global(cali->writer, global->attribute, global->value);
	cali_writer_finish(cali->writer);
}

const struct caliper_format caliper_cali = {
	.size = sizeof(struct cali),
	.begin = cali_begin,
	.record = cali_record,
	.end = cali_end,
};
