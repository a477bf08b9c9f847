#include "record/model.h"

#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"
#include "record/value.h"

#include <assert.h>
#include <string.h>

/* Strings of nodes live in blocks of this size, larger ones in a block of their own. */
#define BLOCK_SIZE ((size_t)64 << 10)

struct attribute {
	char *name;
	enum record_type type;
	uint32_t properties;
	struct VECTOR(struct record_pair) descriptions; /* bytes are in blocks */
};

struct node {
	record_node parent;
	record_attribute attribute;
	uint32_t hash; /* of parent, attribute and value */
	uint32_t size; /* STRING, BLOB: bytes; else 0 */
	uint64_t bits; /* the value, or a pointer to the bytes in a block */
};

struct record_model {
	struct VECTOR(struct attribute) attributes;
	struct table attribute_by_hash;
	struct VECTOR(struct node) nodes; /* item 0 is the root */
	uint32_t *index;                  /* hash table of node ids, 0 is a free place */
	size_t index_size;                /* a power of two, at least twice nodes.count */
	struct VECTOR(char *) blocks;
	size_t block_used; /* bytes of the last block in use */
	size_t block_size; /* bytes of the last block */
};

struct record_model *record_model_create(void)
{
	struct record_model *model = memory_allocate_zeroed(1, sizeof(*model));

	model->index_size = 64;
	model->index = memory_allocate_zeroed(model->index_size, sizeof(*model->index));
	vector_add(&model->nodes);
	return model;
}

void record_model_destroy(struct record_model *model)
{
	if (!model)
		return;
	vector_for_each (&model->attributes, attribute) {
		free(attribute->name);
		vector_deinit(&attribute->descriptions);
	}
	vector_for_each (&model->blocks, block)
		free(*block);
	vector_deinit(&model->attributes);
	vector_deinit(&model->nodes);
	vector_deinit(&model->blocks);
	table_deinit(&model->attribute_by_hash);
	free(model->index);
	free(model);
}

/* The key at which the name is in the table, or could be put: equal hashes take the next.
 */
static uint64_t attribute_key(const struct record_model *model, const char *name,
			      uint64_t *ret_id, bool *ret_found)
{
	uint64_t key = hash_bytes(name, strlen(name));

	while ((*ret_found = table_find(&model->attribute_by_hash, key, ret_id)) &&
	       strcmp(model->attributes.items[*ret_id].name, name))
		key++;
	return key;
}

struct trm_error *record_attribute_intern(struct record_model *model, const char *name,
					  enum record_type type, uint32_t properties,
					  record_attribute *ret_attribute)
{
	uint64_t id;
	bool found;
	uint64_t key = attribute_key(model, name, &id, &found);

	assert((size_t)type < RECORD_TYPE_COUNT);
	if (found) {
		enum record_type old = model->attributes.items[id].type;

		if (old != type)
			return trm_error_create(
				TRM_ERROR_USAGE, "attribute '%s' has the type %s, not %s",
				name, record_type_name(old), record_type_name(type));
	} else {
		id = model->attributes.count;
		*table_insert(&model->attribute_by_hash, key, NULL) = id;
		vector_push(&model->attributes,
			    ((struct attribute){.name = memory_copy_string(name),
						.type = type,
						.properties = properties}));
	}
	*ret_attribute = (record_attribute)id;
	return NULL;
}

record_attribute record_attribute_make(struct record_model *model, const char *name,
				       enum record_type type, uint32_t properties)
{
	struct text longer = {0};
	record_attribute id = 0;
	struct trm_error *error;

	text_add(&longer, name);
	while ((error = record_attribute_intern(model, longer.data, type, properties,
						&id))) {
		trm_error_destroy(error);
		text_format(&longer, ".%s", record_type_name(type));
	}
	text_deinit(&longer);
	return id;
}

bool record_attribute_find(const struct record_model *model, const char *name,
			   record_attribute *ret_attribute)
{
	uint64_t id;
	bool found;

	attribute_key(model, name, &id, &found);
	if (found)
		*ret_attribute = (record_attribute)id;
	return found;
}

static const struct attribute *attribute_at(const struct record_model *model,
					    record_attribute id)
{
	assert(id < model->attributes.count);
	return &model->attributes.items[id];
}

const char *record_attribute_name(const struct record_model *model, record_attribute id)
{
	return attribute_at(model, id)->name;
}

enum record_type record_attribute_type(const struct record_model *model,
				       record_attribute id)
{
	return attribute_at(model, id)->type;
}

uint32_t record_attribute_properties(const struct record_model *model,
				     record_attribute id)
{
	return attribute_at(model, id)->properties;
}

size_t record_attribute_count(const struct record_model *model)
{
	return model->attributes.count;
}

static bool has_bytes(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

static const char *node_bytes(const struct node *node)
{
	return (const char *)(uintptr_t)node->bits;
}

static bool same_node(const struct node *a, const struct node *b, bool bytes)
{
	if (a->hash != b->hash || a->parent != b->parent ||
	    a->attribute != b->attribute || a->size != b->size)
		return false;
	return bytes ? !memcmp(node_bytes(a), node_bytes(b), a->size)
		     : a->bits == b->bits;
}

static void grow_index(struct record_model *model)
{
	size_t mask = model->index_size * 2 - 1;

	free(model->index);
	model->index_size *= 2;
	model->index = memory_allocate_zeroed(model->index_size, sizeof(*model->index));
	for (size_t id = 1; id < model->nodes.count; id++) {
		size_t at = model->nodes.items[id].hash & mask;

		while (model->index[at])
			at = (at + 1) & mask;
		model->index[at] = (uint32_t)id;
	}
}

/* A copy of the bytes, 0-terminated, that lives as long as the model. */
static char *keep_bytes(struct record_model *model, const char *bytes, size_t size)
{
	if (!model->blocks.count || model->block_size - model->block_used <= size) {
		model->block_size = size < BLOCK_SIZE / 4 ? BLOCK_SIZE : size + 1;
		model->block_used = 0;
		vector_push(&model->blocks, memory_allocate(model->block_size));
	}
	char *copy = model->blocks.items[model->blocks.count - 1] + model->block_used;

	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	model->block_used += size + 1;
	return copy;
}

void record_attribute_describe(struct record_model *model, record_attribute id,
			       record_attribute key, struct record_value value)
{
	struct attribute *attribute = &model->attributes.items[id];
	struct record_pair *said = NULL;

	assert(id < model->attributes.count && key < model->attributes.count);
	assert(has_bytes(value.type) == has_bytes(attribute_at(model, key)->type));
	vector_for_each (&attribute->descriptions, pair)
		if (pair->attribute == key)
			said = pair;
	if (!said)
		said = vector_add(&attribute->descriptions);
	if (has_bytes(value.type))
		value.bytes = keep_bytes(model, value.bytes, value.size);
	*said = (struct record_pair){key, value};
}

size_t record_attribute_descriptions(const struct record_model *model,
				     record_attribute id)
{
	return attribute_at(model, id)->descriptions.count;
}

struct record_pair record_attribute_description(const struct record_model *model,
						record_attribute id, size_t number)
{
	assert(number < attribute_at(model, id)->descriptions.count);
	return attribute_at(model, id)->descriptions.items[number];
}

static uint32_t hash_node(const struct node *node, bool bytes)
{
	uint64_t words[3] = {(uint64_t)node->parent << 32 | node->attribute, node->size,
			     bytes ? hash_bytes(node_bytes(node), node->size)
				   : node->bits};

	return (uint32_t)hash_bytes(words, sizeof(words));
}

record_node record_node_child(struct record_model *model, record_node parent,
			      record_attribute attribute, struct record_value value)
{
	bool bytes = has_bytes(attribute_at(model, attribute)->type);
	struct node wanted = {.parent = parent, .attribute = attribute, .bits = value.u};

	assert(parent < model->nodes.count && model->nodes.count < UINT32_MAX);
	assert(bytes == has_bytes(value.type) && value.size <= UINT32_MAX);
	if (bytes) {
		wanted.size = (uint32_t)value.size;
		wanted.bits = (uintptr_t)value.bytes;
	}
	wanted.hash = hash_node(&wanted, bytes);
	if (model->nodes.count * 2 >= model->index_size)
		grow_index(model);

	size_t mask = model->index_size - 1, at = wanted.hash & mask;

	for (; model->index[at]; at = (at + 1) & mask)
		if (same_node(&model->nodes.items[model->index[at]], &wanted, bytes))
			return model->index[at];
	if (bytes)
		wanted.bits = (uintptr_t)keep_bytes(model, value.bytes, value.size);
	model->index[at] = (record_node)model->nodes.count;
	vector_push(&model->nodes, wanted);
	return model->index[at];
}

record_node record_node_parent(const struct record_model *model, record_node node)
{
	assert(node < model->nodes.count);
	return model->nodes.items[node].parent;
}

struct record_pair record_node_pair(const struct record_model *model, record_node id)
{
	assert(id && id < model->nodes.count);
	const struct node *node = &model->nodes.items[id];
	struct record_pair pair = {.attribute = node->attribute};

	pair.value.type = model->attributes.items[node->attribute].type;
	if (has_bytes(pair.value.type)) {
		pair.value.size = node->size;
		pair.value.bytes = node_bytes(node);
	} else {
		pair.value.u = node->bits;
	}
	return pair;
}

size_t record_node_count(const struct record_model *model)
{
	return model->nodes.count;
}
