/* What the numbers in a .cali file stand for: nodes, attributes, what describes them. */
#include "record/cali_names.h"

#include "base/array.h"
#include "base/table.h"
#include "record/cali.h"
#include "record/cali_values.h"
#include "record/model.h"
#include "record/trm.h"
#include "record/value.h"

#include <stdio.h>

#define NONE UINT32_MAX

static void set_entry(struct cali_names *names, uint64_t id, struct cali_entry entry)
{
	/* Numbers are mostly dense. One that is not must not take memory for a gap. */
	names->defined++;
	if (id >= names->entries.count && id < 65536 + 4 * names->defined) {
		size_t known = names->entries.count, count = id + 1 + id / 2;

		vector_reserve(&names->entries, count);
		memset(names->entries.items + known, 0,
		       (count - known) * sizeof(*names->entries.items));
		names->entries.count = count;
	}
	if (id < names->entries.count)
		names->entries.items[id] = entry;
	else
		*table_insert(names->others, id, NULL) =
			(uint64_t)entry.kind << 32 | entry.number;
}

struct cali_entry cali_names_other(const struct cali_names *names, uint64_t id)
{
	uint64_t found;

	if (!table_find(names->others, id, &found))
		return (struct cali_entry){CALI_UNKNOWN, 0};
	return (struct cali_entry){(uint32_t)(found >> 32), (uint32_t)found};
}

static uint32_t add_description(struct cali_names *names, uint32_t parent,
				uint64_t attribute, const char *value)
{
	size_t size = value ? (size_t)(cali_skip_value(value) - value) : 0;
	uint32_t depth = parent == NONE ? 0 : names->descriptions.items[parent].depth + 1;
	char *copy = memory_allocate(size + 1);

	if (size)
		memcpy(copy, value, size);
	copy[size] = '\n';
	vector_push(&names->descriptions,
		    ((struct cali_description){parent, depth, attribute, copy}));
	names->node_bytes += sizeof(struct cali_description) + size;
	return (uint32_t)names->descriptions.count - 1;
}

static void add_builtin(struct cali_names *names, uint64_t id, uint32_t parent,
			uint64_t attribute, const char *value)
{
	struct text line = {0};

	text_format(&line, "%s\n", value);
	set_entry(names, id,
		  (struct cali_entry){
			  CALI_DESCRIPTION,
			  add_description(names, parent, attribute, line.data)});
	text_deinit(&line);
}

/* The attribute of this name; one of another type has its type behind its name. */
static const char *intern_attribute(struct record_model *model, const char *name,
				    enum record_type type, uint32_t properties,
				    record_attribute *ret_attribute)
{
	struct trm_error *error =
		record_attribute_intern(model, name, type, properties, ret_attribute);
	struct text longer = {0};

	if (!error)
		return NULL;
	trm_error_destroy(error);
	text_format(&longer, "%s.%s", name, record_type_name(type));
	error = record_attribute_intern(model, longer.data, type, properties,
					ret_attribute);
	text_deinit(&longer);
	if (!error)
		return NULL;
	trm_error_destroy(error);
	return "an attribute that has two types";
}

/* What the nodes above an attribute say of it. */
struct found {
	enum record_type type;
	uint64_t properties;
	bool has_type;
};

static const char *read_above(const struct cali_names *names, uint32_t parent,
			      struct found *found)
{
	bool has_properties = false;

	for (; parent != NONE; parent = names->descriptions.items[parent].parent) {
		const struct cali_description *above = &names->descriptions.items[parent];
		const char *value = above->value;

		if (above->attribute == CALI_TYPE && !found->has_type) {
			found->has_type = cali_type_find(
				value, (size_t)(cali_skip_value(value) - value),
				&found->type);
			if (!found->has_type)
				return "an attribute of an unknown type";
		} else if (above->attribute == CALI_PROPERTIES && !has_properties) {
			has_properties = true;
			if (!cali_read_uint(&value, &found->properties))
				return "an attribute whose properties are not a number";
		}
	}
	return found->has_type ? NULL : "an attribute without a type";
}

/* Tells the model what else is said; from the outermost on, as it was. */
static void describe_attribute(struct cali_names *names, record_attribute id,
			       uint32_t parent)
{
	struct VECTOR(uint32_t) chain = {0};

	for (; parent != NONE; parent = names->descriptions.items[parent].parent)
		vector_push(&chain, parent);
	while (chain.count) {
		const struct cali_description *said =
			&names->descriptions.items[chain.items[--chain.count]];
		const struct cali_attribute *key =
			said->attribute < CALI_BUILTIN_COUNT
				? NULL
				: cali_names_attribute(names, said->attribute);
		const char *at = said->value;
		struct record_value value;
		bool empty;

		names->bytes.length = 0;
		if (!key ||
		    !cali_read_value(&at, key->type, &names->bytes, &value, &empty) ||
		    empty)
			continue;
		if (names->bytes.length)
			value.bytes = names->bytes.data;
		record_attribute_describe(names->model, id, key->id, value);
	}
	vector_deinit(&chain);
}

static const char *define_attribute(struct cali_names *names, uint64_t id,
				    uint32_t description)
{
	const struct cali_description *line = &names->descriptions.items[description];
	struct found found = {0};
	struct cali_attribute attribute = {.description = description};
	struct record_value name;
	const char *at = line->value;
	bool empty;
	const char *wrong = read_above(names, line->parent, &found);

	if (wrong)
		return wrong;
	names->bytes.length = 0;
	cali_read_value(&at, RECORD_STRING, &names->bytes, &name, &empty);
	if (!name.size || name.size > TRM_NAME_MAX - 16 ||
	    strlen(names->bytes.data) != name.size)
		return "an attribute with a name that is empty or too long";
	if (record_attribute_count(names->model) >= TRM_ATTRIBUTES_MAX)
		return "too many attributes";
	wrong = intern_attribute(names->model, names->bytes.data, found.type,
				 cali_properties_read(found.properties), &attribute.id);
	if (wrong)
		return wrong;
	attribute.type = found.type;
	set_entry(names, id,
		  (struct cali_entry){CALI_ATTRIBUTE, (uint32_t)names->attributes.count});
	vector_push(&names->attributes, attribute);
	describe_attribute(names, attribute.id, line->parent);
	return NULL;
}

const struct cali_attribute *cali_names_attribute(const struct cali_names *names,
						  uint64_t id)
{
	struct cali_entry entry = cali_names_find(names, id);

	return entry.kind == CALI_ATTRIBUTE ? &names->attributes.items[entry.number]
					    : NULL;
}

void cali_names_init(struct cali_names *names, struct record_model *model)
{
	static const char *const builtin_types[] = {"usr",  "int",    "uint", "string",
						    "addr", "double", "bool", "type"};
	static const struct {
		uint64_t id;
		uint32_t type;
		const char *name;
	} builtin_attributes[] = {{CALI_NAME, 3, "cali.attribute.name"},
				  {CALI_TYPE, 7, "cali.attribute.type"},
				  {CALI_PROPERTIES, 1, "cali.attribute.prop"}};

	*names = (struct cali_names){.model = model, .node_bytes_max = UINT64_MAX};
	names->others = memory_allocate_zeroed(1, sizeof(*names->others));
	names->joined = memory_allocate_zeroed(1, sizeof(*names->joined));
	for (uint32_t i = 0; i < array_count(builtin_types); i++)
		add_builtin(names, i, NONE, CALI_TYPE, builtin_types[i]);
	for (size_t i = 0; i < 3; i++)
		add_builtin(names, builtin_attributes[i].id, builtin_attributes[i].type,
			    CALI_NAME, builtin_attributes[i].name);
	add_builtin(names, CALI_POINTER, NONE, CALI_TYPE, "ptr");
}

void cali_names_deinit(struct cali_names *names)
{
	vector_for_each (&names->descriptions, description)
		free(description->value);
	vector_deinit(&names->entries);
	vector_deinit(&names->descriptions);
	vector_deinit(&names->attributes);
	table_deinit(names->others);
	table_deinit(names->joined);
	free(names->others);
	free(names->joined);
	text_deinit(&names->bytes);
}

/* The description that a number stands for, of an attribute its own. */
static uint32_t description_of(const struct cali_names *names, struct cali_entry entry)
{
	if (entry.kind == CALI_ATTRIBUTE)
		return names->attributes.items[entry.number].description;
	return entry.number;
}

static const char *define_node(struct cali_names *names,
			       const struct cali_node_line *line, record_node parent)
{
	const struct cali_attribute *attribute =
		cali_names_attribute(names, line->attribute);
	const char *at = line->value ? line->value : "\n";
	struct record_value value;
	record_node node = parent;
	bool empty;

	if (!attribute)
		return "a node of an unknown attribute";
	names->bytes.length = 0;
	if (!cali_read_value(&at, attribute->type, &names->bytes, &value, &empty))
		return "a node whose value is not of its type";
	names->node_bytes += TRM_NODE_COST + value.size;
	if (record_node_count(names->model) >= UINT32_MAX)
		return "too many nodes";
	if (names->bytes.length)
		value.bytes = names->bytes.data;
	if (!empty)
		node = record_node_child(names->model, parent, attribute->id, value);
	set_entry(names, line->id, (struct cali_entry){CALI_NODE, node});
	return NULL;
}

/*
 * Nodes below a type, and attributes, describe attributes; all others are contexts. A
 * built-in attribute describes, too, unless it is below a context.
 */
const char *cali_names_define(struct cali_names *names, const struct cali_node_line *line)
{
	struct cali_entry parent = {CALI_NODE, 0};

	if (!line->has_id || !line->has_attribute)
		return "a node without a number or an attribute";
	/* Early versions wrote the built-in nodes, too. */
	if (line->id < CALI_POINTER)
		return line->attribute == CALI_NAME || line->attribute == CALI_TYPE
			       ? NULL
			       : "a node with the number of a built-in one";
	if (line->has_parent)
		parent = cali_names_find(names, line->parent);
	if (parent.kind == CALI_UNKNOWN)
		return "a node below an unknown one";
	if (names->node_bytes > names->node_bytes_max)
		return "more nodes than a file of its size should have";
	bool top = !line->has_parent && line->attribute < CALI_BUILTIN_COUNT;

	if (parent.kind == CALI_NODE && !top)
		return define_node(names, line, parent.number);
	uint32_t above = top ? NONE : description_of(names, parent);

	if (above != NONE && names->descriptions.items[above].depth >= CALI_DEPTH_MAX)
		return "more said of an attribute than should be";
	uint32_t description =
		add_description(names, above, line->attribute, line->value);

	if (line->attribute == CALI_NAME)
		return define_attribute(names, line->id, description);
	set_entry(names, line->id, (struct cali_entry){CALI_DESCRIPTION, description});
	return NULL;
}

/* Of the first path and the second below it; `second` is not 0. */
static const char *join_chain(struct cali_names *names, record_node first,
			      record_node second, record_node *ret_node)
{
	struct VECTOR(record_node) chain = {0};
	const char *wrong = NULL;

	for (; second; second = record_node_parent(names->model, second))
		vector_push(&chain, second);
	names->joined_bytes += chain.count * TRM_NODE_COST;
	if (names->joined_bytes > names->node_bytes_max / 4 ||
	    record_node_count(names->model) + chain.count >= UINT32_MAX)
		wrong = "more nodes than a file of its size should have";
	while (chain.count && !wrong) {
		struct record_pair pair =
			record_node_pair(names->model, chain.items[--chain.count]);

		first = record_node_child(names->model, first, pair.attribute,
					  pair.value);
	}
	vector_deinit(&chain);
	*ret_node = first;
	return wrong;
}

const char *cali_names_join(struct cali_names *names, record_node first,
			    record_node second, record_node *ret_node)
{
	/* Tables look at the low half. */
	uint64_t key = (uint64_t)first << 32 | (first ^ second), known;
	const char *wrong;

	if (!second || !first) {
		*ret_node = first | second;
		return NULL;
	}
	if (table_find(names->joined, key, &known)) {
		*ret_node = (record_node)known;
		return NULL;
	}
	wrong = join_chain(names, first, second, ret_node);
	if (!wrong)
		*table_insert(names->joined, key, NULL) = *ret_node;
	return wrong;
}
