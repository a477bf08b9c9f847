#include "query/gather.h"

#include "base/cleanup.h"
#include "query/feed.h"
#include "query/pack.h"
#include "query/result.h"
#include "query/run.h"

enum { MAGIC = 0x71677431 };

struct query_gather {
	struct query_result result;
	struct query_part part;
	struct VECTOR(char *) texts; /* metadata of other processes' attributes */
};

struct query_gather *query_gather_create(const struct query *query)
{
	struct query_gather *gather = memory_allocate_zeroed(1, sizeof(*gather));

	query_part_init(&gather->part, query);
	gather->result.query = query;
	gather->result.part = &gather->part;
	return gather;
}

void query_gather_destroy(struct query_gather *gather)
{
	if (!gather)
		return;
	query_result_deinit(&gather->result);
	query_part_deinit(&gather->part);
	vector_for_each (&gather->texts, text)
		free(*text);
	vector_deinit(&gather->texts);
	free(gather);
}

struct trm_error *query_gather_read(struct query_gather *gather, const char *path,
				    struct text *warnings)
{
	return query_part_read(&gather->part, path, warnings);
}

enum attribute_flag { NESTED = 1, HIDDEN = 2, GLOBAL = 4, IN_TREE = 8, ITERATION = 16 };

/* Texts, up to an empty one. */
static void pack_said(struct query_pack *pack, const char *said)
{
	const char *name = NULL, *value;

	while ((name = query_said_next(said, name, &value))) {
		query_pack_text(pack, name);
		query_pack_text(pack, value);
	}
	query_pack_text(pack, "");
}

static void pack_attributes(struct query_pack *pack, const struct query_keys *keys)
{
	query_pack_uint(pack, (uint32_t)keys->attributes.count);
	vector_for_each (&keys->attributes, attribute) {
		query_pack_text(pack, attribute->name);
		query_pack_text(pack, attribute->alias);
		query_pack_text(pack, attribute->unit);
		pack_said(pack, attribute->said);
		query_pack_uint(pack, (uint32_t)attribute->type);
		query_pack_uint(pack, attribute->properties);
		query_pack_uint(pack, (attribute->nested ? NESTED : 0) |
					      (attribute->hidden ? HIDDEN : 0) |
					      (attribute->global ? GLOBAL : 0) |
					      (attribute->in_tree ? IN_TREE : 0) |
					      (attribute->iteration ? ITERATION : 0));
	}
}

static void pack_nodes(struct query_pack *pack, const struct query_keys *keys)
{
	query_pack_uint(pack, (uint32_t)keys->nodes.count);
	for (size_t i = 1; i < keys->nodes.count; i++) {
		const struct query_key_node *node = &keys->nodes.items[i];

		query_pack_uint(pack, node->parent);
		query_pack_uint(pack, node->attribute);
		query_pack_value(pack, node->value);
	}
}

static void pack_groups(struct query_pack *pack, const struct query_part *part)
{
	query_pack_uint(pack, (uint32_t)part->groups.count);
	for (size_t group = 0; group < part->groups.count; group++) {
		query_pack_uint(pack, part->groups.items[group]);
		for (size_t a = 0; a < part->offsets.count; a++) {
			const struct query_state_kind *kind =
				part->query->aggregates.items[a].op->kind;
			const void *state = query_part_state(part, group, a);

			if (kind->pack)
				kind->pack(state, pack);
			else
				query_pack_bytes(pack, state, kind->size);
		}
	}
}

static void pack_rows(struct query_pack *pack, const struct query_part *part)
{
	query_pack_uint(pack, (uint32_t)part->rows.count);
	vector_for_each (&part->rows, row) {
		query_pack_uint(pack, row->key);
		query_pack_uint(pack, row->cells);
		for (size_t i = 0; i < row->cells; i++) {
			const struct query_cell *cell =
				&part->cells.items[row->first + i];

			query_pack_uint(pack, cell->attribute);
			query_pack_value(pack, cell->value);
		}
	}
}

void query_gather_pack(const struct query_gather *gather, void **ret_bytes,
		       size_t *ret_size)
{
	const struct query_part *part = &gather->part;
	struct query_pack pack = {0};

	query_pack_uint(&pack, MAGIC);
	query_pack_text(&pack, part->query->text);
	pack_attributes(&pack, &part->keys);
	pack_nodes(&pack, &part->keys);
	pack_groups(&pack, part);
	pack_rows(&pack, part);
	*ret_bytes = pack.items;
	*ret_size = pack.count;
}

/* Numbers of another process, translated. */
struct adding {
	struct query_gather *gather;
	struct query_unpack unpack;
	struct VECTOR(uint32_t) attributes;
	struct VECTOR(uint32_t) keys;
};

static const char *keep_text(struct query_gather *gather, const char *text)
{
	char *copy = text ? memory_copy_string(text) : NULL;

	if (copy)
		vector_push(&gather->texts, copy);
	return copy;
}

static const char *keep_said(struct adding *adding)
{
	struct query_gather *gather = adding->gather;
	struct text said = {0};
	const char *text;

	while ((text = query_unpack_text(&adding->unpack)) && *text) {
		const char *value = query_unpack_text(&adding->unpack);

		if (!value)
			break;
		text_add_bytes(&said, text, strlen(text) + 1);
		text_add_bytes(&said, value, strlen(value) + 1);
	}
	if (!said.length)
		return NULL;
	text_add_bytes(&said, "", 1);
	vector_push(&gather->texts, said.data);
	return said.data;
}

static void add_attributes(struct adding *adding)
{
	struct query_unpack *unpack = &adding->unpack;
	struct query_keys *keys = &adding->gather->part.keys;

	for (uint32_t left = query_unpack_uint(unpack); left && !unpack->wrong; left--) {
		struct query_attribute attribute = {.name = query_unpack_text(unpack)};
		const char *alias = query_unpack_text(unpack);
		const char *unit = query_unpack_text(unpack);

		attribute.said = keep_said(adding);
		attribute.type =
			(enum record_type)query_unpack_index(unpack, QUERY_NOTHING + 1);
		attribute.properties = query_unpack_uint(unpack);
		uint32_t flags = query_unpack_uint(unpack);

		unpack->wrong |= !attribute.name;
		if (unpack->wrong)
			return;
		attribute.alias = keep_text(adding->gather, alias);
		attribute.unit = keep_text(adding->gather, unit);
		attribute.nested = flags & NESTED;
		attribute.hidden = flags & HIDDEN;
		attribute.global = flags & GLOBAL;
		attribute.in_tree = flags & IN_TREE;
		attribute.iteration = flags & ITERATION;
		vector_push(&adding->attributes,
			    query_keys_attribute(keys, attribute.name, &attribute));
	}
}

/* A key's parents have smaller numbers than it has. */
static void add_nodes(struct adding *adding)
{
	struct query_unpack *unpack = &adding->unpack;
	uint32_t count = query_unpack_uint(unpack);

	vector_push(&adding->keys, 0);
	for (uint32_t i = 1; i < count && !unpack->wrong; i++) {
		uint32_t parent = query_unpack_index(unpack, i);
		uint32_t attribute = query_unpack_index(unpack, adding->attributes.count);
		struct record_value value = query_unpack_value(unpack);

		if (!unpack->wrong)
			vector_push(&adding->keys,
				    query_part_key(&adding->gather->part,
						   adding->keys.items[parent],
						   adding->attributes.items[attribute],
						   value));
	}
}

static void add_state(struct adding *adding, size_t group, size_t aggregate)
{
	struct query_part *part = &adding->gather->part;
	const struct query_aggregate *of = &part->query->aggregates.items[aggregate];
	const struct query_state_kind *kind = of->op->kind;
	scoped_free void *state = memory_allocate_zeroed(1, kind->size);

	if (kind->unpack)
		kind->unpack(state, &adding->unpack);
	else
		query_unpack_bytes(&adding->unpack, state, kind->size);
	if (!adding->unpack.wrong)
		kind->merge(query_part_state(part, group, aggregate), of, state,
			    &part->keys);
	if (kind->deinit)
		kind->deinit(state);
}

static void add_groups(struct adding *adding)
{
	struct query_unpack *unpack = &adding->unpack;
	struct query_part *part = &adding->gather->part;

	for (uint32_t left = query_unpack_uint(unpack); left && !unpack->wrong; left--) {
		uint32_t key = query_unpack_index(unpack, adding->keys.count);

		if (unpack->wrong)
			return;
		size_t group = query_part_group(part, adding->keys.items[key]);

		for (size_t a = 0; a < part->offsets.count && !unpack->wrong; a++)
			add_state(adding, group, a);
	}
}

static void add_cells(struct adding *adding, uint32_t count)
{
	struct query_unpack *unpack = &adding->unpack;
	struct query_part *part = &adding->gather->part;

	for (; count && !unpack->wrong; count--) {
		uint32_t attribute = query_unpack_index(unpack, adding->attributes.count);
		struct record_value value = query_unpack_value(unpack);

		if (!unpack->wrong)
			vector_push(&part->cells,
				    ((struct query_cell){
					    adding->attributes.items[attribute],
					    query_keys_keep(&part->strings, value)}));
	}
}

static void add_rows(struct adding *adding)
{
	struct query_unpack *unpack = &adding->unpack;
	struct query_part *part = &adding->gather->part;

	for (uint32_t left = query_unpack_uint(unpack); left && !unpack->wrong; left--) {
		uint32_t key = query_unpack_index(unpack, adding->keys.count);
		uint32_t cells = query_unpack_uint(unpack);
		size_t first = part->cells.count;

		add_cells(adding, cells);
		if (!unpack->wrong)
			vector_push(&part->rows,
				    ((struct query_raw_row){adding->keys.items[key],
							    cells, first}));
	}
}

struct trm_error *query_gather_add(struct query_gather *gather, const void *bytes,
				   size_t size)
{
	struct adding adding = {.gather = gather, .unpack = {bytes, size, false}};
	struct query_unpack *unpack = &adding.unpack;
	const char *text;

	unpack->wrong |= query_unpack_uint(unpack) != MAGIC;
	text = query_unpack_text(unpack);
	unpack->wrong |= !text || strcmp(text, gather->part.query->text) != 0;
	add_attributes(&adding);
	add_nodes(&adding);
	add_groups(&adding);
	add_rows(&adding);
	vector_deinit(&adding.attributes);
	vector_deinit(&adding.keys);
	if (unpack->wrong || unpack->left)
		return trm_error_create(TRM_ERROR_FORMAT,
					"what another process sent is not of the same "
					"query: do all have the same configuration?");
	return NULL;
}

struct query_result *query_gather_result(struct query_gather *gather,
					 struct text *ret_warnings)
{
	query_part_finish(&gather->part);
	query_result_make(&gather->result);
	query_warn_of_rounding(&gather->result, ret_warnings);
	return &gather->result;
}
