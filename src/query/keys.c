#include "query/keys.h"

#include <string.h>

#include "query/value.h"

/* Strings live in blocks of this size, larger ones in a block of their own. */
#define BLOCK_SIZE ((size_t)64 << 10)

void query_keys_init(struct query_keys *keys)
{
	*keys = (struct query_keys){.index_size = 64};
	keys->index = memory_allocate_zeroed(keys->index_size, sizeof(*keys->index));
	vector_add(&keys->nodes);
}

void query_keys_deinit(struct query_keys *keys)
{
	string_table_deinit(&keys->names);
	vector_deinit(&keys->attributes);
	vector_deinit(&keys->nodes);
	free(keys->index);
	vector_for_each (&keys->blocks, block)
		free(*block);
	vector_deinit(&keys->blocks);
}

uint32_t query_keys_attribute(struct query_keys *keys, const char *name,
			      const struct query_attribute *as)
{
	uint32_t id = string_table_intern(&keys->names, name);

	if (id == keys->attributes.count) {
		vector_push(&keys->attributes, *as);
		keys->attributes.items[id].name = keys->names.strings[id];
	}
	return id;
}

static bool has_bytes(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

struct record_value query_keys_keep(struct query_keys *keys, struct record_value value)
{
	if (!has_bytes(value.type))
		return value;
	if (keys->block_size - keys->block_used <= value.size) {
		keys->block_size = value.size < BLOCK_SIZE ? BLOCK_SIZE : value.size + 1;
		keys->block_used = 0;
		vector_push(&keys->blocks, memory_allocate(keys->block_size));
	}
	char *copy = keys->blocks.items[keys->blocks.count - 1] + keys->block_used;

	if (value.size)
		memcpy(copy, value.bytes, value.size);
	copy[value.size] = '\0';
	keys->block_used += value.size + 1;
	value.bytes = copy;
	return value;
}

static uint32_t hash_node(const struct query_key_node *node)
{
	uint64_t value = has_bytes(node->value.type)
				 ? hash_bytes(node->value.bytes, node->value.size)
				 : node->value.u;
	/* Multipliers of splitmix64 (Steele, Lea, Flood 2014). */
	uint64_t hash = ((uint64_t)node->parent << 32 | node->attribute) ^
			value * 0xbf58476d1ce4e5b9u;

	hash = (hash ^ hash >> 30) * 0x94d049bb133111ebu;
	hash = (hash ^ hash >> 27) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(hash >> 32);
}

static bool same_node(const struct query_key_node *a, const struct query_key_node *b)
{
	if (a->hash != b->hash || a->parent != b->parent ||
	    a->attribute != b->attribute || a->value.type != b->value.type ||
	    a->value.size != b->value.size)
		return false;
	if (has_bytes(a->value.type))
		return !a->value.size ||
		       !memcmp(a->value.bytes, b->value.bytes, a->value.size);
	return a->value.u == b->value.u;
}

static void grow_index(struct query_keys *keys)
{
	size_t mask = keys->index_size * 2 - 1;

	free(keys->index);
	keys->index_size *= 2;
	keys->index = memory_allocate_zeroed(keys->index_size, sizeof(*keys->index));
	for (size_t id = 1; id < keys->nodes.count; id++) {
		size_t at = keys->nodes.items[id].hash & mask;

		while (keys->index[at])
			at = (at + 1) & mask;
		keys->index[at] = (uint32_t)id;
	}
}

uint32_t query_keys_child(struct query_keys *keys, uint32_t parent, uint32_t attribute,
			  struct record_value value)
{
	struct query_key_node wanted = {parent, attribute, 0,
					keys->nodes.items[parent].depth + 1,
					query_canonical(value)};

	wanted.hash = hash_node(&wanted);
	if (keys->nodes.count * 2 >= keys->index_size)
		grow_index(keys);
	size_t mask = keys->index_size - 1, at = wanted.hash & mask;

	for (; keys->index[at]; at = (at + 1) & mask)
		if (same_node(&keys->nodes.items[keys->index[at]], &wanted))
			return keys->index[at];
	wanted.value = query_keys_keep(keys, wanted.value);
	if (wanted.depth > keys->deepest)
		keys->deepest = wanted.depth;
	keys->index[at] = (uint32_t)keys->nodes.count;
	vector_push(&keys->nodes, wanted);
	return keys->index[at];
}

const char *query_said_next(const char *said, const char *at, const char **ret_value)
{
	if (at) {
		at += strlen(at) + 1;
		said = at + strlen(at) + 1;
	}
	if (!said || !*said)
		return NULL;
	*ret_value = said + strlen(said) + 1;
	return said;
}
