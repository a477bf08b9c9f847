#include "record/cali_writer.h"

#include "record/cali.h"
#include "record/cali_values.h"
#include "record/model.h"
#include "record/value.h"

#include <stdio.h>

/* Numbers of built-in nodes are below this one. */
#define FIRST_NUMBER 16

struct numbers VECTOR(uint64_t);

/* Records of the same nodes with the same attributes begin with the same text. */
enum { HEADS = 256, HEAD_NODES_MAX = 4, HEAD_PAIRS_MAX = 24 };
struct head {
	uint32_t nodes, count; /* of these, and of attributes + 1; 0: there is none */
	record_node node[HEAD_NODES_MAX];
	record_attribute attributes[HEAD_PAIRS_MAX];
	struct text text; /* up to data= */
};

struct cali_writer {
	struct text *out;
	/* All that was written, whichever model it came from: equal nodes are one. */
	struct record_model *own;
	/* By own node and attribute: its number in the file + 1, or 0. */
	struct numbers node_numbers, attribute_numbers;
	record_attribute type, properties; /* that describe attributes */
	uint64_t last_number;
	bool any;                           /* a record was written */
	const struct record_model *model;   /* of what is being written */
	struct numbers attributes;          /* by its attribute: the own one + 1 */
	struct numbers nodes;               /* by its node: the own one + 1 */
	struct VECTOR(record_node) chain;   /* scratch of own_node */
	struct head heads[HEADS];           /* of the model's records, by hash */
	struct VECTOR(record_node) globals; /* own nodes below the root */
};

/* A place in the vector, which gets as long as it must. */
static uint64_t *number_at(struct numbers *numbers, size_t index)
{
	size_t known = numbers->count;

	if (index >= known) {
		vector_reserve(numbers, index + 1);
		numbers->count = index + 1;
		memset(numbers->items + known, 0, (index + 1 - known) * sizeof(uint64_t));
	}
	return &numbers->items[index];
}

static record_attribute add_builtin(struct cali_writer *writer, const char *name,
				    enum record_type type, uint64_t number)
{
	record_attribute own = 0;

	/* The model is new: no attribute of another type has the name. */
	trm_error_destroy(
		record_attribute_intern(writer->own, name, type, RECORD_AS_VALUE, &own));
	*number_at(&writer->attribute_numbers, own) = number + 1;
	return own;
}

struct cali_writer *cali_writer_create(struct text *out)
{
	struct cali_writer *writer = memory_allocate_zeroed(1, sizeof(*writer));

	writer->out = out;
	writer->own = record_model_create();
	writer->last_number = FIRST_NUMBER - 1;
	writer->type = add_builtin(writer, "cali.attribute.type", RECORD_TYPE, CALI_TYPE);
	writer->properties =
		add_builtin(writer, "cali.attribute.prop", RECORD_INT, CALI_PROPERTIES);
	add_builtin(writer, "cali.attribute.name", RECORD_STRING, CALI_NAME);
	return writer;
}

void cali_writer_use(struct cali_writer *writer, const struct record_model *model)
{
	writer->model = model;
	writer->attributes.count = writer->nodes.count = 0;
	for (size_t i = 0; i < HEADS; i++)
		writer->heads[i].count = 0;
}

/* Writes a line for a node below an own one, 0 for none; its number. */
static uint64_t write_node(struct cali_writer *writer, record_node parent,
			   uint64_t attribute, struct record_value value)
{
	struct text *out = writer->out;

	text_add(out, "__rec=node,id=");
	cali_add_number(out, ++writer->last_number);
	text_add(out, ",attr=");
	cali_add_number(out, attribute);
	text_add(out, ",data=");
	cali_add_value(out, value);
	if (parent) {
		text_add(out, ",parent=");
		cali_add_number(out, *number_at(&writer->node_numbers, parent) - 1);
	}
	text_add(out, "\n");
	return writer->last_number;
}

/* The own child of an own node, which is written if it is new. Its attribute was. */
static record_node child_of(struct cali_writer *writer, record_node parent,
			    record_attribute attribute, struct record_value value)
{
	record_node node = record_node_child(writer->own, parent, attribute, value);
	uint64_t *number = number_at(&writer->node_numbers, node);

	if (!*number) {
		uint64_t written = write_node(
			writer, parent,
			*number_at(&writer->attribute_numbers, attribute) - 1, value);

		*number_at(&writer->node_numbers, node) = written + 1;
	}
	return node;
}

/* The own attribute of this name; one of another type has that behind its name. */
static record_attribute intern_attribute(struct cali_writer *writer, record_attribute id)
{
	const char *name = record_attribute_name(writer->model, id);
	enum record_type type = record_attribute_type(writer->model, id);
	uint32_t properties = record_attribute_properties(writer->model, id);
	struct text longer = {0};
	record_attribute own = 0;

	text_add(&longer, name);
	for (;;) {
		struct trm_error *error = record_attribute_intern(
			writer->own, longer.data, type, properties, &own);

		if (!error)
			break;
		trm_error_destroy(error);
		text_format(&longer, ".%s", record_type_name(type));
	}
	text_deinit(&longer);
	return own;
}

static record_attribute own_attribute(struct cali_writer *writer, record_attribute id);

/* The own node below which an attribute stands: what is said of it. */
static record_node describe_attribute(struct cali_writer *writer, record_attribute id)
{
	enum record_type type = record_attribute_type(writer->model, id);
	uint32_t properties =
		cali_properties_write(record_attribute_properties(writer->model, id));
	record_node node =
		record_node_child(writer->own, 0, writer->type,
				  (struct record_value){.type = RECORD_TYPE, .u = type});

	*number_at(&writer->node_numbers, node) = cali_type_node(type) + 1;
	for (size_t i = 0; i < record_attribute_descriptions(writer->model, id); i++) {
		struct record_pair said =
			record_attribute_description(writer->model, id, i);
		record_attribute key = own_attribute(writer, said.attribute);

		/* One that says something of itself has no number yet. */
		if (*number_at(&writer->attribute_numbers, key))
			node = child_of(writer, node, key, said.value);
	}
	if (properties)
		node = child_of(writer, node, writer->properties, record_int(properties));
	return node;
}

/* The own attribute of one of the model, which is written if it is new. */
static record_attribute own_attribute(struct cali_writer *writer, record_attribute id)
{
	uint64_t known = *number_at(&writer->attributes, id);

	if (known)
		return (record_attribute)known - 1;
	record_attribute own = intern_attribute(writer, id);

	*number_at(&writer->attributes, id) = (uint64_t)own + 1;
	if (*number_at(&writer->attribute_numbers, own))
		return own;
	record_node above = describe_attribute(writer, id);
	uint64_t number =
		write_node(writer, above, CALI_NAME,
			   record_string(record_attribute_name(writer->own, own)));

	*number_at(&writer->attribute_numbers, own) = number + 1;
	return own;
}

/* The own node of one of the model, which is written with those above it. */
static record_node own_node(struct cali_writer *writer, record_node node)
{
	record_node own = 0;

	writer->chain.count = 0;
	for (; node; node = record_node_parent(writer->model, node)) {
		uint64_t known = *number_at(&writer->nodes, node);

		if (known) {
			own = (record_node)known - 1;
			break;
		}
		vector_push(&writer->chain, node);
	}
	/* As Caliper does, attributes of inner nodes before those of outer ones. */
	vector_for_each (&writer->chain, at)
		own_attribute(writer, record_node_pair(writer->model, *at).attribute);
	while (writer->chain.count) {
		record_node at = writer->chain.items[--writer->chain.count];
		struct record_pair pair = record_node_pair(writer->model, at);
		record_attribute attribute = own_attribute(writer, pair.attribute);

		own = child_of(writer, own, attribute, pair.value);
		*number_at(&writer->nodes, at) = (uint64_t)own + 1;
	}
	return own;
}

static uint64_t attribute_number(struct cali_writer *writer, record_attribute id)
{
	return *number_at(&writer->attribute_numbers, own_attribute(writer, id)) - 1;
}

/* What a record begins with, up to its values. */
static void add_head(struct cali_writer *writer, struct text *out,
		     const record_node *nodes, size_t node_count,
		     const struct record_pair *pairs, size_t count)
{
	for (size_t i = 0; i < node_count; i++)
		own_node(writer, nodes[i]);
	for (size_t i = 0; i < count; i++)
		own_attribute(writer, pairs[i].attribute);
	text_add(out, node_count || count ? "__rec=ctx" : "__rec=ctx,");
	for (size_t i = 0; i < node_count; i++) {
		text_add(out, i ? "=" : ",ref=");
		cali_add_number(out, *number_at(&writer->node_numbers,
						own_node(writer, nodes[i])) -
					     1);
	}
	for (size_t i = 0; i < count; i++) {
		text_add(out, i ? "=" : ",attr=");
		cali_add_number(out, attribute_number(writer, pairs[i].attribute));
	}
	if (count)
		text_add(out, ",data=");
}

static bool is_head_of(const struct head *head, const record_node *nodes,
		       size_t node_count, const struct record_pair *pairs, size_t count)
{
	if (head->nodes != node_count || head->count != count + 1)
		return false;
	for (size_t i = 0; i < node_count; i++)
		if (head->node[i] != nodes[i])
			return false;
	for (size_t i = 0; i < count; i++)
		if (head->attributes[i] != pairs[i].attribute)
			return false;
	return true;
}

/* Where the head of such records is kept. */
static struct head *head_of(struct cali_writer *writer, const record_node *nodes,
			    size_t node_count, const struct record_pair *pairs,
			    size_t count)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < node_count; i++)
		hash = hash * 31 + nodes[i];
	for (size_t i = 0; i < count; i++)
		hash = hash * 31 + pairs[i].attribute;
	return &writer->heads[(hash * 0x9e3779b1u) >> 24];
}

static void note_head(struct cali_writer *writer, struct head *head,
		      const record_node *nodes, size_t node_count,
		      const struct record_pair *pairs, size_t count)
{
	head->nodes = (uint32_t)node_count;
	head->count = (uint32_t)count + 1;
	head->text.length = 0;
	for (size_t i = 0; i < node_count; i++)
		head->node[i] = nodes[i];
	for (size_t i = 0; i < count; i++)
		head->attributes[i] = pairs[i].attribute;
	add_head(writer, &head->text, nodes, node_count, pairs, count);
}

/* All that comes before the values of a record. */
static void write_head(struct cali_writer *writer, const record_node *nodes,
		       size_t node_count, const struct record_pair *pairs, size_t count)
{
	struct head *head;

	if (count > HEAD_PAIRS_MAX || node_count > HEAD_NODES_MAX) {
		add_head(writer, writer->out, nodes, node_count, pairs, count);
		return;
	}
	head = head_of(writer, nodes, node_count, pairs, count);
	if (!is_head_of(head, nodes, node_count, pairs, count))
		note_head(writer, head, nodes, node_count, pairs, count);
	text_add_bytes(writer->out, head->text.data, head->text.length);
}

static void add_values(struct text *out, const struct record_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add_bytes(out, "=", 1);
		cali_add_value(out, pairs[i].value);
	}
	text_add_bytes(out, "\n", 1);
}

void cali_writer_entries(struct cali_writer *writer, const record_node *nodes,
			 size_t node_count, const struct record_pair *pairs, size_t count)
{
	writer->any = true;
	write_head(writer, nodes, node_count, pairs, count);
	add_values(writer->out, pairs, count);
}

void cali_writer_record(struct cali_writer *writer, record_node node,
			const struct record_pair *pairs, size_t count)
{
	writer->any = true;
	write_head(writer, &node, node != 0, pairs, count);
	add_values(writer->out, pairs, count);
}

void cali_writer_global(struct cali_writer *writer, record_attribute attribute,
			struct record_value value)
{
	record_attribute own = own_attribute(writer, attribute);
	record_node node = record_node_child(writer->own, 0, own, value);

	vector_for_each (&writer->globals, global) {
		if (record_node_pair(writer->own, *global).attribute == own) {
			*global = node;
			return;
		}
	}
	vector_push(&writer->globals, node);
}

/* Globals that are contexts are a path of their own; the others values. */
static void write_globals(struct cali_writer *writer)
{
	struct text attributes = {0}, values = {0};
	record_node path = 0;

	vector_for_each (&writer->globals, global) {
		struct record_pair pair = record_node_pair(writer->own, *global);
		uint64_t number =
			*number_at(&writer->attribute_numbers, pair.attribute) - 1;

		if (!(record_attribute_properties(writer->own, pair.attribute) &
		      RECORD_AS_VALUE)) {
			path = child_of(writer, path, pair.attribute, pair.value);
			continue;
		}
		text_add(&attributes, attributes.length ? "=" : ",attr=");
		cali_add_number(&attributes, number);
		text_add(&values, values.length ? "=" : ",data=");
		cali_add_value(&values, pair.value);
	}
	text_add(writer->out, "__rec=globals");
	if (path) {
		text_add(writer->out, ",ref=");
		cali_add_number(writer->out, *number_at(&writer->node_numbers, path) - 1);
	}
	/* Values may have zero bytes. */
	if (attributes.length)
		text_add_bytes(writer->out, attributes.data, attributes.length);
	if (values.length)
		text_add_bytes(writer->out, values.data, values.length);
	text_add(writer->out, "\n");
	text_deinit(&attributes);
	text_deinit(&values);
}

void cali_writer_finish(struct cali_writer *writer)
{
	if (writer->globals.count)
		write_globals(writer);
	else if (!writer->any)
		/* An empty file would be none. */
		text_add(writer->out, "__rec=globals,\n");
	for (size_t i = 0; i < HEADS; i++)
		text_deinit(&writer->heads[i].text);
	record_model_destroy(writer->own);
	vector_deinit(&writer->node_numbers);
	vector_deinit(&writer->attribute_numbers);
	vector_deinit(&writer->attributes);
	vector_deinit(&writer->nodes);
	vector_deinit(&writer->chain);
	vector_deinit(&writer->globals);
	free(writer);
}
