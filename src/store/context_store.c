#include "store/context_store.h"

#include "base/array.h"
#include "record/model.h"
#include "record/trm.h"

#include <string.h>

struct trm_error *context_names_attribute(struct context_names *names,
					  record_attribute attribute, int64_t *ret_id)
{
	while (names->attributes.count <= attribute)
		vector_push(&names->attributes, -1);

	int64_t *id = &names->attributes.items[attribute];
	const char *name = record_attribute_name(names->model, attribute);
	const int64_t type = record_attribute_type(names->model, attribute);
	int64_t had;

	if (*id < 0) {
		TRM_TRY(sql_run(
			names->sql,
			"INSERT INTO attributes(name, type, properties)"
			" VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
			"tii", name, type,
			(int64_t)record_attribute_properties(names->model, attribute)));
		TRM_TRY(sql_number(names->sql, -1, &had,
				   "SELECT type FROM attributes WHERE name=?"
				   " AND DIGEST(name)=DIGEST(?1)",
				   "t", name));
		if (had != type)
			return trm_error_create(
				TRM_ERROR_UNSUPPORTED,
				"'%s' has had another type in '%s' so far: put this "
				"profile into another database",
				name, sql_path(names->sql));
		TRM_TRY(sql_number(names->sql, -1, id,
				   "SELECT id FROM attributes WHERE name=?"
				   " AND DIGEST(name)=DIGEST(?1)",
				   "t", name));
	}
	*ret_id = *id;
	return NULL;
}

/* With the same parameters. Another process may make the node meanwhile: then neither
 * this one does nor is there a number. */
static const char find_node[] =
	"SELECT id FROM nodes WHERE parent=? AND attribute=? AND value=?"
	" AND DIGEST(value)=DIGEST(?3)";
static const char make_node[] =
	"INSERT INTO nodes(parent, attribute, value) VALUES(?, ?, ?)"
	" ON CONFLICT DO NOTHING RETURNING id";

/* Whether a string is text, or bytes with a zero among them. */
static bool is_plain_text(struct record_value value)
{
	return value.type == RECORD_STRING && !memchr(value.bytes, '\0', value.size);
}

static struct trm_error *ask_node(struct sql *sql, const char *ask, int64_t parent,
				  int64_t attribute, struct record_value value,
				  int64_t *ret_id)
{
	if (is_plain_text(value))
		return sql_number(sql, -1, ret_id, ask, "iit", parent, attribute,
				  value.bytes);
	if (value.type == RECORD_STRING || value.type == RECORD_BLOB)
		return sql_number(sql, -1, ret_id, ask, "iib", parent, attribute,
				  value.bytes, value.size);
	if (value.type == RECORD_DOUBLE)
		return sql_number(sql, -1, ret_id, ask, "iid", parent, attribute,
				  value.d);
	return sql_number(sql, -1, ret_id, ask, "iii", parent, attribute, value.i);
}

/* A node whose parent is known. */
static struct trm_error *name_node(struct context_names *names, record_node node,
				   int64_t parent)
{
	const struct record_pair pair = record_node_pair(names->model, node);
	int64_t attribute, id;

	TRM_TRY(context_names_attribute(names, pair.attribute, &attribute));
	const char *const asks[] = {find_node, make_node, find_node};

	id = -1;
	for (size_t i = 0; i < array_count(asks) && id < 0; i++)
		TRM_TRY(ask_node(names->sql, asks[i], parent, attribute, pair.value,
				 &id));
	names->nodes.items[node] = id;
	return NULL;
}

struct trm_error *context_names_node(struct context_names *names, record_node node,
				     int64_t *ret_id)
{
	struct VECTOR(record_node) chain = {0};
	struct trm_error *error = NULL;

	if (!names->nodes.count)
		vector_push(&names->nodes, 0); /* the root */
	while (names->nodes.count <= node)
		vector_push(&names->nodes, -1);
	for (record_node at = node; names->nodes.items[at] < 0;
	     at = record_node_parent(names->model, at))
		vector_push(&chain, at);
	for (size_t i = chain.count; i-- && !error;)
		error = name_node(names, chain.items[i],
				  names->nodes.items[record_node_parent(names->model,
									chain.items[i])]);
	vector_deinit(&chain);
	*ret_id = error ? -1 : names->nodes.items[node];
	return error;
}

static void pack_number(uint64_t number, struct text *to)
{
	uint8_t bytes[10];
	const uint8_t *end = trm_put_varint(bytes, number);

	text_add_bytes(to, (const char *)bytes, (size_t)(end - bytes));
}

struct trm_error *context_names_pack(struct context_names *names,
				     const struct record_pair *pair,
				     struct text *ret_keys)
{
	const struct record_value *value = &pair->value;
	int64_t id;

	TRM_TRY(context_names_attribute(names, pair->attribute, &id));
	pack_number((uint64_t)id, ret_keys);
	if (value->type == RECORD_STRING || value->type == RECORD_BLOB) {
		pack_number(value->size, ret_keys);
		text_add_bytes(ret_keys, value->bytes, value->size);
		text_add_bytes(ret_keys, "", 1);
	} else if (value->type == RECORD_INT) {
		pack_number(trm_zigzag(value->u), ret_keys);
	} else {
		pack_number(value->u, ret_keys);
	}
	return NULL;
}

void context_names_deinit(struct context_names *names)
{
	vector_deinit(&names->attributes);
	vector_deinit(&names->nodes);
}

struct trm_error *context_finder_attribute(struct context_finder *finder, int64_t id,
					   record_attribute *ret_attribute)
{
	struct sql_rows rows;
	bool new, more;
	uint64_t *known = table_insert(&finder->attributes, (uint64_t)id, &new);

	if (new) {
		TRM_TRY(sql_ask(finder->sql, &rows,
				"SELECT name, type, properties FROM attributes"
				" WHERE id=?",
				"i", id));
		TRM_TRY(sql_next(&rows, &more));
		if (!more || (uint64_t)sql_int(&rows, 1) >= RECORD_TYPE_COUNT)
			return trm_error_create(TRM_ERROR_FORMAT,
						"'%s' is damaged: it has no attribute "
						"%ld: " STORE_SALVAGE,
						sql_path(finder->sql), (long)id);
		*known = record_attribute_make(finder->model, sql_text(&rows, 0),
					       (enum record_type)sql_int(&rows, 1),
					       (uint32_t)sql_int(&rows, 2));
		sql_stop(&rows);
	}
	*ret_attribute = (record_attribute)*known;
	return NULL;
}

static struct trm_error *read_node(struct context_finder *finder, int64_t id,
				   int64_t *ret_parent, struct record_pair *ret_pair,
				   struct text *ret_bytes)
{
	struct sql_rows rows;
	struct record_value value = {0};
	size_t size;
	bool more;

	TRM_TRY(sql_ask(finder->sql, &rows,
			"SELECT parent, attribute, value FROM nodes WHERE id=?", "i",
			id));
	TRM_TRY(sql_next(&rows, &more));
	/* Parents are made first: else there could be a circle. */
	if (!more || sql_is_null(&rows, 1) || sql_int(&rows, 0) >= id)
		return trm_error_create(
			TRM_ERROR_FORMAT,
			"'%s' is damaged: it has no node %ld: " STORE_SALVAGE,
			sql_path(finder->sql), (long)id);
	*ret_parent = sql_int(&rows, 0);
	TRM_TRY(context_finder_attribute(finder, sql_int(&rows, 1),
					 &ret_pair->attribute));
	value.type = record_attribute_type(finder->model, ret_pair->attribute);
	if (value.type == RECORD_STRING || value.type == RECORD_BLOB) {
		const void *bytes = sql_bytes(&rows, 2, &size);

		text_add_bytes(ret_bytes, bytes ? bytes : "", size);
		value.bytes = ret_bytes->data;
		value.size = size;
	} else if (value.type == RECORD_DOUBLE) {
		value.d = sql_real(&rows, 2);
	} else {
		value.i = sql_int(&rows, 2);
	}
	sql_stop(&rows);
	ret_pair->value = value;
	return NULL;
}

/* Paths are as deep as the profile's were: nesting is not limited, so this goes up in a
 * loop first. */
struct trm_error *context_finder_node(struct context_finder *finder, int64_t id,
				      record_node *ret_node)
{
	struct VECTOR(struct step {
		int64_t id;
		struct record_pair pair;
		struct text bytes;
	}) steps = {0};
	struct trm_error *error = NULL;
	uint64_t node = 0;

	while (!error && id && !table_find(&finder->nodes, (uint64_t)id, &node)) {
		struct step *step = vector_add(&steps);

		step->id = id;
		error = read_node(finder, step->id, &id, &step->pair, &step->bytes);
	}
	for (size_t i = steps.count; i-- && !error;) {
		node = record_node_child(finder->model, (record_node)node,
					 steps.items[i].pair.attribute,
					 steps.items[i].pair.value);
		*table_insert(&finder->nodes, (uint64_t)steps.items[i].id, NULL) = node;
	}
	vector_for_each (&steps, step)
		text_deinit(&step->bytes);
	vector_deinit(&steps);
	*ret_node = (record_node)node;
	return error;
}

/* A number that ends before `end`; NULL if it does not. */
static const uint8_t *unpack_number(const uint8_t *at, const uint8_t *end,
				    uint64_t *ret_number)
{
	uint8_t bytes[TRM_PADDING] = {0};
	size_t left = (size_t)(end - at);

	memcpy(bytes, at, left < sizeof(bytes) ? left : sizeof(bytes));
	at += trm_get_varint(bytes, ret_number) - bytes;
	return at <= end ? at : NULL;
}

static const uint8_t *unpack_value(const uint8_t *at, const uint8_t *end,
				   struct record_value *value)
{
	uint64_t number;

	at = unpack_number(at, end, &number);
	if (!at)
		return NULL;
	if (value->type == RECORD_INT) {
		value->u = trm_unzigzag(number);
	} else if (value->type == RECORD_STRING || value->type == RECORD_BLOB) {
		if (number >= (uint64_t)(end - at))
			return NULL;
		value->bytes = (const char *)at;
		value->size = number;
		at += number + 1;
	} else {
		value->u = number;
	}
	return at;
}

struct trm_error *context_finder_unpack(struct context_finder *finder, const void *bytes,
					size_t size, struct context_pairs *ret_pairs)
{
	const uint8_t *at = bytes, *end = at + size;

	while (at && at < end) {
		struct record_pair *pair = vector_add(ret_pairs);
		uint64_t id;

		at = unpack_number(at, end, &id);
		if (!at)
			break;
		TRM_TRY(context_finder_attribute(finder, (int64_t)id, &pair->attribute));
		pair->value.type = record_attribute_type(finder->model, pair->attribute);
		at = unpack_value(at, end, &pair->value);
	}
	return at ? NULL
		  : trm_error_create(TRM_ERROR_FORMAT,
				     "'%s' is damaged: a context's keys make no "
				     "sense: " STORE_SALVAGE,
				     sql_path(finder->sql));
}

void context_finder_deinit(struct context_finder *finder)
{
	table_deinit(&finder->attributes);
	table_deinit(&finder->nodes);
}
