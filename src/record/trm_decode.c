#include "record/trm_decode.h"

#include "record/model.h"
#include "record/trm.h"

/* A place in a payload. Reading behind the end gives zeros and sets `at` to NULL. */
struct cursor {
	const uint8_t *at;
	const uint8_t *end; /* TRM_PADDING zero bytes follow */
};

void trm_decoder_restart(struct trm_decoder *decoder)
{
	decoder->attributes.count = 0;
	decoder->nodes.count = 0;
	vector_push(&decoder->nodes, 0);
}

void trm_decoder_deinit(struct trm_decoder *decoder)
{
	vector_deinit(&decoder->attributes);
	vector_deinit(&decoder->nodes);
	vector_deinit(&decoder->shapes);
	vector_deinit(&decoder->pairs);
}

static uint64_t get_varint(struct cursor *cursor)
{
	uint64_t number;

	if (!cursor->at || cursor->at >= cursor->end) {
		cursor->at = NULL;
		return 0;
	}
	cursor->at = trm_get_varint(cursor->at, &number);
	if (cursor->at > cursor->end)
		cursor->at = NULL;
	return number;
}

/* `size` bytes at the cursor, which goes behind them; NULL if there are not so many. */
static const char *get_bytes(struct cursor *cursor, uint64_t size)
{
	const uint8_t *bytes = cursor->at;

	if (!bytes || size > (size_t)(cursor->end - bytes)) {
		cursor->at = NULL;
		return NULL;
	}
	cursor->at = bytes + size;
	return (const char *)bytes;
}

static bool has_bytes(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

/* A value as in nodes and globals; a failure shows in the cursor. */
static struct record_value get_value(struct cursor *cursor, enum record_type type)
{
	struct record_value value = {.type = type};
	const char *bytes;

	if (type == RECORD_DOUBLE) {
		bytes = get_bytes(cursor, sizeof(value.d));
		if (bytes)
			memcpy(&value.d, bytes, sizeof(value.d));
	} else if (has_bytes(type)) {
		uint64_t size = get_varint(cursor);

		/* The size is not above the payload's, else the 1 could carry it to 0. */
		bytes = size <= TRM_PAYLOAD_MAX ? get_bytes(cursor, size + 1) : NULL;
		if (!bytes || bytes[size])
			cursor->at = NULL;
		value.bytes = bytes ? bytes : "";
		value.size = bytes ? size : 0;
	} else {
		uint64_t number = get_varint(cursor);

		value.u = type == RECORD_INT ? trm_unzigzag(number) : number;
		if (type == RECORD_BOOL)
			value.u = !!value.u;
	}
	return value;
}

static const char *define_attribute(struct trm_decoder *decoder, struct cursor *cursor)
{
	char name[TRM_NAME_MAX + 1];
	uint64_t length = get_varint(cursor);
	const char *bytes = get_bytes(cursor, length);
	const char *type = get_bytes(cursor, 1);
	uint64_t properties = get_varint(cursor);
	record_attribute id;

	if (!cursor->at || !length || length > TRM_NAME_MAX || memchr(bytes, 0, length) ||
	    (uint8_t)*type >= RECORD_TYPE_COUNT)
		return "an attribute that makes no sense";
	if (decoder->attributes.count >= TRM_ATTRIBUTES_MAX ||
	    record_attribute_count(decoder->model) >= TRM_ATTRIBUTES_MAX)
		return "too many attributes";
	memcpy(name, bytes, length);
	name[length] = '\0';
	struct trm_error *error =
		record_attribute_intern(decoder->model, name, (enum record_type) * type,
					(uint32_t)properties, &id);
	if (error) {
		trm_error_destroy(error);
		return "an attribute that had another type before";
	}
	vector_push(&decoder->attributes, id);
	return NULL;
}

static const char *define_node(struct trm_decoder *decoder, struct cursor *cursor,
			       uint64_t node_bytes_max)
{
	uint64_t back = get_varint(cursor), attribute = get_varint(cursor);
	size_t id = decoder->nodes.count;

	if (!cursor->at || !back || back > id || attribute >= decoder->attributes.count)
		return "a node without parent or attribute";
	record_attribute model_attribute = decoder->attributes.items[attribute];
	struct record_value value =
		get_value(cursor, record_attribute_type(decoder->model, model_attribute));

	if (!cursor->at)
		return "a node without value";
	decoder->node_bytes += TRM_NODE_COST + value.size;
	if (decoder->node_bytes > node_bytes_max || id >= UINT32_MAX ||
	    record_node_count(decoder->model) >= UINT32_MAX)
		return "more nodes than a file of its size should have";
	vector_push(&decoder->nodes,
		    record_node_child(decoder->model, decoder->nodes.items[id - back],
				      model_attribute, value));
	return NULL;
}

static const char *define_global(struct trm_decoder *decoder, struct cursor *cursor)
{
	uint64_t attribute = get_varint(cursor);

	if (!cursor->at || attribute >= decoder->attributes.count)
		return "a global without attribute";
	record_attribute model_attribute = decoder->attributes.items[attribute];
	struct record_value value =
		get_value(cursor, record_attribute_type(decoder->model, model_attribute));

	if (!cursor->at)
		return "a global without value";
	if (decoder->visitor->global)
		decoder->visitor->global(decoder->visitor->context, model_attribute,
					 value);
	return NULL;
}

static const char *define_description(struct trm_decoder *decoder, struct cursor *cursor,
				      uint64_t node_bytes_max)
{
	uint64_t attribute = get_varint(cursor), key = get_varint(cursor);

	if (!cursor->at || attribute >= decoder->attributes.count ||
	    key >= decoder->attributes.count)
		return "a description without attribute";
	record_attribute id = decoder->attributes.items[attribute];
	record_attribute said = decoder->attributes.items[key];
	struct record_value value =
		get_value(cursor, record_attribute_type(decoder->model, said));

	if (!cursor->at)
		return "a description without value";
	decoder->node_bytes += TRM_NODE_COST + value.size;
	if (decoder->node_bytes > node_bytes_max ||
	    record_attribute_descriptions(decoder->model, id) >= TRM_DESCRIPTIONS_MAX)
		return "more descriptions than an attribute should have";
	record_attribute_describe(decoder->model, id, said, value);
	return NULL;
}

static const char *define_shape(struct trm_decoder *decoder, struct cursor *cursor)
{
	uint64_t count = get_varint(cursor);

	if (!cursor->at || decoder->pairs.count + count > TRM_SHAPE_PAIRS_MAX ||
	    count > TRM_SHAPE_PAIRS_MAX || decoder->shapes.count >= TRM_SHAPE_PAIRS_MAX)
		return "too many kinds of records";
	vector_push(&decoder->shapes, ((struct trm_shape){(uint32_t)decoder->pairs.count,
							  (uint32_t)count}));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t attribute = get_varint(cursor);

		if (!cursor->at || attribute >= decoder->attributes.count)
			return "a kind of records with an unknown attribute";
		struct record_pair *pair = vector_add(&decoder->pairs);

		pair->attribute = decoder->attributes.items[attribute];
		pair->value.type = record_attribute_type(decoder->model, pair->attribute);
	}
	return NULL;
}

static const char *decode_definitions(struct trm_decoder *decoder, struct cursor *cursor,
				      uint64_t node_bytes_max)
{
	const char *damage = NULL;

	while (!damage && cursor->at < cursor->end) {
		switch (*cursor->at++) {
		case TRM_DEFINE_ATTRIBUTE:
			damage = define_attribute(decoder, cursor);
			break;
		case TRM_DEFINE_NODE:
			damage = define_node(decoder, cursor, node_bytes_max);
			break;
		case TRM_DEFINE_GLOBAL:
			damage = define_global(decoder, cursor);
			break;
		case TRM_DEFINE_SHAPE:
			damage = define_shape(decoder, cursor);
			break;
		case TRM_DEFINE_DESCRIPTION:
			damage = define_description(decoder, cursor, node_bytes_max);
			break;
		default:
			damage = "an unknown kind of definition";
		}
	}
	return damage;
}

/*
 * The values of one record. `at` must not be behind `end`. Returns NULL if they do not
 * end inside the payload.
 */
static const uint8_t *get_fields(const uint8_t *at, const uint8_t *end,
				 struct record_pair *pairs, size_t count)
{
	for (struct record_pair *pair = pairs; pair < pairs + count; pair++) {
		uint64_t number;

		switch (pair->value.type) {
		case RECORD_INT:
		case RECORD_UINT:
		case RECORD_ADDRESS:
			at = trm_get_varint(at, &number);
			pair->value.u += trm_unzigzag(number);
			break;
		default: {
			struct cursor cursor = {at, end};

			pair->value = get_value(&cursor, pair->value.type);
			at = cursor.at;
		}
		}
		if (!at || at > end)
			return NULL;
	}
	return at;
}

static const char *decode_records(struct trm_decoder *decoder, const uint8_t *at,
				  const uint8_t *end)
{
	const struct trm_visitor *visitor = decoder->visitor;
	uint64_t node = 0;

	while (at < end) {
		uint64_t shape_id, step;

		at = trm_get_varint(at, &shape_id);
		if (at >= end || shape_id >= decoder->shapes.count)
			return "a record of an unknown kind";
		at = trm_get_varint(at, &step);
		node += trm_unzigzag(step);
		if (at > end || node >= decoder->nodes.count)
			return "a record with an unknown node";
		struct trm_shape shape = decoder->shapes.items[shape_id];
		struct record_pair *pairs = decoder->pairs.items + shape.first;

		at = get_fields(at, end, pairs, shape.count);
		if (!at)
			return "a record that is cut off";
		if (visitor->record)
			visitor->record(visitor->context, decoder->nodes.items[node],
					pairs, shape.count);
	}
	return NULL;
}

const char *trm_decoder_payload(struct trm_decoder *decoder, const uint8_t *payload,
				size_t size, uint64_t node_bytes_max)
{
	struct cursor cursor = {payload, payload + size};
	uint64_t definitions = get_varint(&cursor);

	decoder->shapes.count = decoder->pairs.count = 0;
	vector_reserve(&decoder->pairs, 1);
	if (!cursor.at || definitions > (size_t)(cursor.end - cursor.at))
		return "definitions that are cut off";
	struct cursor inner = {cursor.at, cursor.at + definitions};
	const char *damage = decode_definitions(decoder, &inner, node_bytes_max);

	if (damage)
		return damage;
	return decode_records(decoder, cursor.at + definitions, payload + size);
}
