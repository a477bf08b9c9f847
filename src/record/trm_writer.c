#include "record/trm_writer.h"

#include "base/array.h"
#include "base/table.h"
#include "base/vector.h"
#include "record/model.h"
#include "record/record.h"
#include "record/trm.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* A chunk is written when it has so many bytes. */
#define CHUNK_SIZE ((size_t)256 << 10)
#define ZSTD_LEVEL 1 /* half the time of level 3, for 7 % more bytes */
#define UNDEFINED  UINT32_MAX

struct bytes VECTOR(uint8_t);

/* Which attributes a record has, and the values that the last such record had. */
struct field {
	record_attribute attribute;
	enum record_type type;
	uint64_t previous;
};
struct shape {
	uint32_t id;
	uint32_t count;
	struct field fields[];
};

/* Records of a few shapes take turns: these are found without a look at the table. */
#define RECENT_SHAPES 16

struct trm_writer {
	int fd;
	struct record_model *model;
	struct VECTOR(uint32_t) attribute_ids;   /* by model id: id in the file */
	struct VECTOR(record_attribute) globals; /* that were written */
	struct VECTOR(
		uint32_t) node_ids; /* by model id: id in the file, 0 if undefined */
	uint32_t attribute_count, node_count; /* defined in the file */
	struct VECTOR(record_node) chain;     /* scratch of define_node */

	struct bytes definitions, records; /* of the chunk being filled */
	struct VECTOR(struct shape *) shapes;
	struct table shape_by_hash;          /* to an index in `shapes` */
	struct shape *recent[RECENT_SHAPES]; /* see recent_of */
	size_t shape_pairs;                  /* attributes in all shapes */
	record_node last_node;

	struct bytes payload, stored;
	ZSTD_CCtx *compressor;
	bool plain;              /* payloads are not compressed */
	struct trm_error *error; /* the first; nothing is written after it */
};

uint64_t trm_checksum(const uint8_t *head, const void *stored, size_t size)
{
	return XXH3_64bits_withSeed(stored, size, XXH3_64bits(head, 16));
}

/* Room for `more` bytes behind those in use, which the caller then counts in. */
static uint8_t *room_for(struct bytes *bytes, size_t more)
{
	vector_reserve(bytes, bytes->count + more);
	return bytes->items + bytes->count;
}

static void add_byte(struct bytes *bytes, uint8_t byte)
{
	*room_for(bytes, 1) = byte;
	bytes->count++;
}

static void add_varint(struct bytes *bytes, uint64_t number)
{
	uint8_t *at = room_for(bytes, 10);

	bytes->count = (size_t)(trm_put_varint(at, number) - bytes->items);
}

static void add_bytes(struct bytes *bytes, const void *data, size_t size)
{
	uint8_t *at = room_for(bytes, size);

	if (size)
		memcpy(at, data, size);
	bytes->count += size;
}

/*
 * write() all of it. The signals that come with EPIPE and EFBIG would end the program,
 * which is no way to report an error: they are blocked, and taken back if they were not
 * waiting before. Both go to the thread that writes. Returns an errno, 0 for success.
 */
static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	sigset_t noise, old, before, after;
	int failure = 0;

	sigemptyset(&noise);
	sigaddset(&noise, SIGPIPE);
	sigaddset(&noise, SIGXFSZ);
	sigpending(&before);
	pthread_sigmask(SIG_BLOCK, &noise, &old);
	while (size && !failure) {
		ssize_t written = write(fd, bytes, size);

		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			failure = errno;
		}
	}
	sigpending(&after);
	for (int i = 0; i < 2; i++) {
		int number = i ? SIGXFSZ : SIGPIPE;
		sigset_t one;

		sigemptyset(&one);
		sigaddset(&one, number);
		if (sigismember(&after, number) && !sigismember(&before, number))
			sigtimedwait(&one, NULL, &(struct timespec){0});
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failure;
}

static struct trm_error *describe_failure(int code)
{
	static const struct {
		int code;
		const char *remedy;
	} remedies[] = {
		{ENOSPC, "free some space or choose another place with -o"},
		{EDQUOT,
		 "the disk quota is used up; free some or choose another place with -o"},
		{EFBIG, "raise the limit (ulimit -f) or choose another place with -o"},
		{EPIPE, "the program that was to read it has ended"},
		{EIO, "the disk fails; choose another place with -o"},
		{EROFS, "choose another place with -o"},
	};
	const char *remedy = "choose another place with -o";

	for (size_t i = 0; i < array_count(remedies); i++)
		if (remedies[i].code == code)
			remedy = remedies[i].remedy;
	struct trm_error *error =
		trm_error_create(TRM_ERROR_SYSTEM, "cannot write the profile: %s; %s",
				 strerror(code), remedy);
	error->system_code = code;
	return error;
}

/* Writes one chunk. The payload is already in writer->payload. */
static void write_chunk(struct trm_writer *writer, enum trm_kind kind)
{
	struct bytes *stored = &writer->stored;
	size_t size = writer->payload.count, bound = ZSTD_compressBound(size), result;
	enum trm_storage storage = size && !writer->plain ? TRM_ZSTD : TRM_PLAIN;

	if (writer->error)
		return;
	stored->count = 0;
	uint8_t *head = room_for(stored, TRM_HEADER_SIZE + bound);

	result = size;
	if (storage == TRM_ZSTD)
		result =
			ZSTD_compressCCtx(writer->compressor, head + TRM_HEADER_SIZE,
					  bound, writer->payload.items, size, ZSTD_LEVEL);
	else if (size)
		memcpy(head + TRM_HEADER_SIZE, writer->payload.items, size);
	if (ZSTD_isError(result)) {
		writer->error = trm_error_create(TRM_ERROR_SYSTEM, "cannot compress: %s",
						 ZSTD_getErrorName(result));
		return;
	}
	memset(head, 0, TRM_HEADER_SIZE);
	memcpy(head, TRM_MAGIC, 4);
	head[4] = (uint8_t)kind;
	head[5] = kind == TRM_HEAD ? TRM_VERSION : 0;
	head[6] = (uint8_t)storage;
	trm_put_u32(head + 8, (uint32_t)result);
	trm_put_u32(head + 12, (uint32_t)size);
	trm_put_u64(head + 16, trm_checksum(head, head + TRM_HEADER_SIZE, result));

	int failure = write_all(writer->fd, head, TRM_HEADER_SIZE + result);

	if (failure)
		writer->error = describe_failure(failure);
}

static void forget_shapes(struct trm_writer *writer)
{
	vector_for_each (&writer->shapes, shape)
		free(*shape);
	writer->shapes.count = 0;
	table_deinit(&writer->shape_by_hash);
	memset(writer->recent, 0, sizeof(writer->recent));
	writer->shape_pairs = 0;
}

struct trm_writer *trm_writer_create(int fd, struct record_model *model)
{
	struct trm_writer *writer = memory_allocate_zeroed(1, sizeof(*writer));

	writer->fd = fd;
	writer->model = model;
	writer->compressor = ZSTD_createCCtx();
	if (!writer->compressor)
		writer->error = trm_error_create(TRM_ERROR_SYSTEM, "out of memory");
	write_chunk(writer, TRM_HEAD);
	return writer;
}

void trm_writer_leave_plain(struct trm_writer *writer)
{
	writer->plain = true;
}

void trm_writer_flush(struct trm_writer *writer)
{
	if (!writer->definitions.count && !writer->records.count)
		return;
	writer->payload.count = 0;
	add_varint(&writer->payload, writer->definitions.count);
	add_bytes(&writer->payload, writer->definitions.items, writer->definitions.count);
	add_bytes(&writer->payload, writer->records.items, writer->records.count);
	write_chunk(writer, TRM_DATA);
	writer->definitions.count = writer->records.count = 0;
	writer->last_node = 0;
	forget_shapes(writer);
}

static void flush_if_full(struct trm_writer *writer)
{
	if (writer->definitions.count + writer->records.count >= CHUNK_SIZE)
		trm_writer_flush(writer);
}

static void describe_attribute(struct trm_writer *writer, record_attribute id);

/* The number in the file of an attribute, which is defined there if it is new. */
static uint32_t define_attribute(struct trm_writer *writer, record_attribute id)
{
	struct bytes *out = &writer->definitions;

	while (writer->attribute_ids.count <= id)
		vector_push(&writer->attribute_ids, UNDEFINED);
	if (writer->attribute_ids.items[id] != UNDEFINED)
		return writer->attribute_ids.items[id];

	const char *name = record_attribute_name(writer->model, id);
	size_t length = strlen(name);

	if (!length || length > TRM_NAME_MAX ||
	    writer->attribute_count == TRM_ATTRIBUTES_MAX)
		if (!writer->error)
			writer->error =
				trm_error_create(TRM_ERROR_UNSUPPORTED,
						 "attribute '%.40s' cannot be stored: "
						 "its name is empty or "
						 "longer than %d bytes, or there are "
						 "more than %d attributes",
						 name, TRM_NAME_MAX, TRM_ATTRIBUTES_MAX);
	add_byte(out, TRM_DEFINE_ATTRIBUTE);
	add_varint(out, length);
	add_bytes(out, name, length);
	add_byte(out, (uint8_t)record_attribute_type(writer->model, id));
	add_varint(out, record_attribute_properties(writer->model, id));
	writer->attribute_ids.items[id] = writer->attribute_count++;
	describe_attribute(writer, id);
	return writer->attribute_ids.items[id];
}

static bool has_bytes(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

/* Bytes that a value takes at most. */
static size_t value_bound(const struct record_value *value)
{
	return 12 + (has_bytes(value->type) ? value->size : 0);
}

/* Writes a value as it stands in nodes and globals. `type` is the attribute's. Returns
 * its end. */
static uint8_t *put_value(uint8_t *at, enum record_type type, struct record_value value)
{
	switch (type) {
	case RECORD_STRING:
	case RECORD_BLOB:
		at = trm_put_varint(at, value.size);
		if (value.size)
			memcpy(at, value.bytes, value.size);
		at[value.size] = 0;
		return at + value.size + 1;
	case RECORD_DOUBLE:
		memcpy(at, &value.d, sizeof(value.d));
		return at + sizeof(value.d);
	case RECORD_INT:
		return trm_put_varint(at, trm_zigzag(value.u));
	default:
		return trm_put_varint(at, value.u);
	}
}

static void add_value(struct bytes *out, enum record_type type, struct record_value value)
{
	uint8_t *at = room_for(out, value_bound(&value));

	out->count = (size_t)(put_value(at, type, value) - out->items);
}

/* Whether the value can be stored; if not, that is the writer's error. */
static bool value_fits(struct trm_writer *writer, record_attribute attribute, size_t size)
{
	if (writer->error)
		return false;
	if (size <= TRM_ITEM_MAX)
		return true;
	writer->error = trm_error_create(
		TRM_ERROR_UNSUPPORTED, "a value of '%s' has %zu bytes, %d can be stored",
		record_attribute_name(writer->model, attribute), size, TRM_ITEM_MAX);
	return false;
}

/* What is said of an attribute comes right behind it. */
static void describe_attribute(struct trm_writer *writer, record_attribute id)
{
	size_t count = record_attribute_descriptions(writer->model, id);

	for (size_t i = 0; i < count && i < TRM_DESCRIPTIONS_MAX; i++) {
		struct record_pair said =
			record_attribute_description(writer->model, id, i);

		if (!value_fits(writer, said.attribute, said.value.size))
			return;
		uint32_t key = define_attribute(writer, said.attribute);

		add_byte(&writer->definitions, TRM_DEFINE_DESCRIPTION);
		add_varint(&writer->definitions, writer->attribute_ids.items[id]);
		add_varint(&writer->definitions, key);
		add_value(&writer->definitions,
			  record_attribute_type(writer->model, said.attribute),
			  said.value);
	}
}

static void define_one_node(struct trm_writer *writer, record_node node)
{
	struct record_pair pair = record_node_pair(writer->model, node);
	record_node parent = record_node_parent(writer->model, node);
	uint32_t *ids = writer->node_ids.items;

	if (!value_fits(writer, pair.attribute, pair.value.size))
		return;
	flush_if_full(writer);
	uint32_t attribute = define_attribute(writer, pair.attribute);

	ids[node] = ++writer->node_count;
	add_byte(&writer->definitions, TRM_DEFINE_NODE);
	add_varint(&writer->definitions, ids[node] - ids[parent]);
	add_varint(&writer->definitions, attribute);
	add_value(&writer->definitions, pair.value.type, pair.value);
}

/* The number in the file of a node, which is defined there, its ancestors first. */
static uint32_t define_node(struct trm_writer *writer, record_node node)
{
	size_t known = writer->node_ids.count;

	if (node < known && (!node || writer->node_ids.items[node]))
		return writer->node_ids.items[node];
	vector_reserve(&writer->node_ids, (size_t)node + 1);
	if (known <= node) {
		memset(writer->node_ids.items + known, 0,
		       ((size_t)node + 1 - known) * sizeof(*writer->node_ids.items));
		writer->node_ids.count = (size_t)node + 1;
	}
	writer->chain.count = 0;
	for (record_node at = node; at && !writer->node_ids.items[at];
	     at = record_node_parent(writer->model, at))
		vector_push(&writer->chain, at);
	while (writer->chain.count)
		define_one_node(writer, writer->chain.items[--writer->chain.count]);
	return writer->node_ids.items[node];
}

static bool shape_fits(const struct shape *shape, const struct record_pair *pairs,
		       size_t count)
{
	if (!shape || shape->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (shape->fields[i].attribute != pairs[i].attribute)
			return false;
	return true;
}

/* Where the shape is, if it is among those that were used last. */
static struct shape **recent_of(struct trm_writer *writer,
				const struct record_pair *pairs, size_t count)
{
	size_t place = count ? count + pairs[count / 2].attribute : 0;

	return &writer->recent[place % RECENT_SHAPES];
}

static struct shape *make_shape(struct trm_writer *writer,
				const struct record_pair *pairs, size_t count)
{
	struct shape *shape =
		memory_allocate_zeroed(1, sizeof(*shape) + count * sizeof(struct field));

	shape->id = (uint32_t)writer->shapes.count;
	shape->count = (uint32_t)count;
	add_byte(&writer->definitions, TRM_DEFINE_SHAPE);
	add_varint(&writer->definitions, count);
	for (size_t i = 0; i < count; i++) {
		shape->fields[i].attribute = pairs[i].attribute;
		shape->fields[i].type =
			record_attribute_type(writer->model, pairs[i].attribute);
		add_varint(&writer->definitions,
			   writer->attribute_ids.items[pairs[i].attribute]);
	}
	vector_push(&writer->shapes, shape);
	writer->shape_pairs += count;
	return shape;
}

static struct shape *find_shape(struct trm_writer *writer,
				const struct record_pair *pairs, size_t count)
{
	uint64_t key = count;
	bool new;

	for (size_t i = 0; i < count; i++)
		key = (key ^ pairs[i].attribute) * 0x9e3779b97f4a7c15u;
	uint64_t *index = table_insert(&writer->shape_by_hash, key, &new);

	while (!new && !shape_fits(writer->shapes.items[*index], pairs, count))
		index = table_insert(&writer->shape_by_hash, ++key, &new);
	if (new) {
		*index = writer->shapes.count;
		make_shape(writer, pairs, count);
	}
	return writer->shapes.items[*index];
}

/* The shape of a record in the chunk that it will be in, which may be a new one. */
static struct shape *shape_of(struct trm_writer *writer, const struct record_pair *pairs,
			      size_t count)
{
	flush_if_full(writer);

	struct shape **recent = recent_of(writer, pairs, count);

	if (shape_fits(*recent, pairs, count))
		return *recent;
	for (size_t i = 0; i < count; i++)
		define_attribute(writer, pairs[i].attribute);
	if (writer->shape_pairs + count > TRM_SHAPE_PAIRS_MAX)
		trm_writer_flush(writer);
	flush_if_full(writer);
	return *recent = find_shape(writer, pairs, count);
}

/* The same for a value of a record. */
static uint8_t *put_field(uint8_t *at, struct field *field, struct record_value value)
{
	uint64_t previous = field->previous;

	switch (field->type) {
	case RECORD_INT:
	case RECORD_UINT:
	case RECORD_ADDRESS:
		field->previous = value.u;
		return trm_put_varint(at, trm_zigzag(value.u - previous));
	default:
		return put_value(at, field->type, value);
	}
}

/* Bytes that the record takes at most. */
static size_t record_bound(const struct record_pair *pairs, size_t count)
{
	size_t bound = 32;

	for (size_t i = 0; i < count; i++)
		bound += value_bound(&pairs[i].value);
	return bound;
}

void trm_writer_record(struct trm_writer *writer, record_node node,
		       const struct record_pair *pairs, size_t count)
{
	size_t bound = record_bound(pairs, count);

	if (writer->error || !value_fits(writer, pairs ? pairs->attribute : 0, bound))
		return;
	if (count > TRM_RECORD_PAIRS_MAX) {
		writer->error =
			trm_error_create(TRM_ERROR_UNSUPPORTED,
					 "a record has %zu attributes, %d can be stored",
					 count, TRM_RECORD_PAIRS_MAX);
		return;
	}
	uint32_t node_id = define_node(writer, node);

	/* From here on the chunk must not change: shapes and differences are of one
	 * chunk. */
	struct shape *shape = shape_of(writer, pairs, count);
	uint8_t *at = room_for(&writer->records, bound);

	at = trm_put_varint(at, shape->id);
	at = trm_put_varint(at, trm_zigzag((uint64_t)node_id - writer->last_node));
	writer->last_node = node_id;
	for (size_t i = 0; i < count; i++) {
		assert(has_bytes(shape->fields[i].type) ==
		       has_bytes(pairs[i].value.type));
		at = put_field(at, &shape->fields[i], pairs[i].value);
	}
	writer->records.count = (size_t)(at - writer->records.items);
}

void trm_writer_global(struct trm_writer *writer, record_attribute attribute,
		       struct record_value value)
{
	enum record_type type = record_attribute_type(writer->model, attribute);

	assert(has_bytes(type) == has_bytes(value.type));
	if (!value_fits(writer, attribute, has_bytes(type) ? value.size : 0))
		return;
	uint32_t id = define_attribute(writer, attribute);

	vector_push(&writer->globals, attribute);
	flush_if_full(writer);
	add_byte(&writer->definitions, TRM_DEFINE_GLOBAL);
	add_varint(&writer->definitions, id);
	add_value(&writer->definitions, type, value);
}

bool trm_writer_global_once(struct trm_writer *writer, record_attribute attribute,
			    struct record_value value)
{
	vector_for_each (&writer->globals, known)
		if (*known == attribute)
			return false;
	trm_writer_global(writer, attribute, value);
	return true;
}

struct trm_error *trm_writer_finish(struct trm_writer *writer)
{
	trm_writer_flush(writer);
	writer->payload.count = 0;
	write_chunk(writer, TRM_END);

	struct trm_error *error = writer->error;

	forget_shapes(writer);
	vector_deinit(&writer->attribute_ids);
	vector_deinit(&writer->globals);
	vector_deinit(&writer->node_ids);
	vector_deinit(&writer->chain);
	vector_deinit(&writer->definitions);
	vector_deinit(&writer->records);
	vector_deinit(&writer->shapes);
	vector_deinit(&writer->payload);
	vector_deinit(&writer->stored);
	ZSTD_freeCCtx(writer->compressor);
	free(writer);
	return error;
}
