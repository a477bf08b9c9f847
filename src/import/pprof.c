/*
 * pprof: a message of protocol buffers (see export/pprof.c). Fields may come in any
 * order: what samples refer to is read first. Everything is checked against the size of
 * the file, and every number that refers to something against what is there.
 */
#include "import/readers.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "base/vector.h"
#include "base/protobuf.h"

#include <inttypes.h>
#include <string.h>

enum { TYPES_MAX = 256 };

/* Bytes of the file that are still to be read. */
struct span {
	const char *at, *end;
};

/* A field of a message. */
struct field {
	uint64_t number, value; /* value: of a varint */
	unsigned wire;
	struct span bytes; /* of bytes */
};

struct string {
	const char *bytes;
	size_t length;
	char *text; /* with a 0 behind it, once it is needed */
};

struct mapping {
	uint64_t start, offset, file, build_id;
};

struct function {
	uint64_t name, system_name, file;
};

struct line {
	uint64_t function, line;
};

struct location {
	uint64_t mapping, address;
	uint32_t first, count; /* in lines */
};

struct reading {
	struct import_input *input;
	struct import_sink *sink;
	struct VECTOR(struct string) strings;
	struct VECTOR(struct mapping) mappings;
	struct VECTOR(struct function) functions;
	struct VECTOR(struct location) locations;
	struct VECTOR(struct line) lines;
	/* By id: index. */
	struct table mapping_of, function_of, location_of;
	struct VECTOR(uint64_t) types; /* pairs of strings: name and unit */
	struct VECTOR(struct import_frame) frames;
	struct VECTOR(uint64_t) values;
	struct VECTOR(uint64_t) stack; /* locations of a sample */
	uint64_t comment;              /* the first one */
	uint64_t process, thread;      /* of the sample at hand */
	uint32_t first;                /* type */
};

static struct trm_error *make_fault(const struct reading *reading, const char *at,
				    const char *what)
{
	return import_fault_at(reading->input, at, "%s", what);
}

static struct trm_error *read_varint(const struct reading *reading, struct span *span,
				     uint64_t *ret_number)
{
	uint64_t number = 0;

	for (unsigned shift = 0; span->at < span->end && shift < 64; shift += 7) {
		unsigned char byte = (unsigned char)*span->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*ret_number = number;
		return NULL;
	}
	return make_fault(reading, span->at,
			  "a number ends too late, or the file too early");
}

static struct trm_error *read_fixed(const struct reading *reading, struct span *span,
				    size_t size)
{
	if ((size_t)(span->end - span->at) < size)
		return make_fault(reading, span->at, "the file ends too early");
	span->at += size;
	return NULL;
}

static struct trm_error *read_bytes(const struct reading *reading, struct span *span,
				    struct span *ret_bytes)
{
	uint64_t size;

	TRM_TRY(read_varint(reading, span, &size));
	if (size > (uint64_t)(span->end - span->at))
		return make_fault(
			reading, span->at,
			"a field is longer than what it is in: the file was cut");
	*ret_bytes = (struct span){span->at, span->at + size};
	span->at += size;
	return NULL;
}

/* Reads the next field; there must be one. */
static struct trm_error *read_field(const struct reading *reading, struct span *span,
				    struct field *field)
{
	uint64_t key = 0;

	TRM_TRY(read_varint(reading, span, &key));
	*field = (struct field){.number = key >> 3, .wire = key & 7};
	switch (field->wire) {
	case PROTOBUF_VARINT:
		return read_varint(reading, span, &field->value);
	case PROTOBUF_FIXED64:
		return read_fixed(reading, span, 8);
	case PROTOBUF_BYTES:
		return read_bytes(reading, span, &field->bytes);
	case PROTOBUF_FIXED32:
		return read_fixed(reading, span, 4);
	default:
		return make_fault(reading, span->at, "a field of an unknown kind");
	}
}

/* Reads a message with numbers alone: field N goes to numbers[N]. */
static struct trm_error *read_numbers(const struct reading *reading, struct span span,
				      uint64_t *numbers, size_t count)
{
	struct field field;

	memset(numbers, 0, count * sizeof(*numbers));
	while (span.at < span.end) {
		TRM_TRY(read_field(reading, &span, &field));
		if (field.wire == PROTOBUF_VARINT && field.number < count)
			numbers[field.number] = field.value;
	}
	return NULL;
}

/* Reads a repeated field with numbers, packed or one alone. */
#define READ_REPEATED(reading, field, vector)                                            \
	({                                                                               \
		struct trm_error *error_ = NULL;                                         \
		struct span span_ = (field)->bytes;                                      \
		uint64_t number_ = (field)->value;                                       \
		if ((field)->wire == PROTOBUF_VARINT)                                    \
			vector_push((vector), number_);                                  \
		while (!error_ && (field)->wire == PROTOBUF_BYTES &&                     \
		       span_.at < span_.end) {                                           \
			error_ = read_varint((reading), &span_, &number_);               \
			if (!error_)                                                     \
				vector_push((vector), number_);                          \
		}                                                                        \
		error_;                                                                  \
	})

static struct trm_error *add_string(struct reading *reading, struct span span)
{
	size_t length = (size_t)(span.end - span.at);

	vector_push(&reading->strings, ((struct string){span.at, length, NULL}));
	return NULL;
}

static struct trm_error *add_type(struct reading *reading, struct span span)
{
	uint64_t numbers[3];

	TRM_TRY(read_numbers(reading, span, numbers, 3));
	if (reading->types.count == 2 * TYPES_MAX)
		return make_fault(reading, span.at, "more than 256 types of numbers");
	vector_push(&reading->types, numbers[1]);
	vector_push(&reading->types, numbers[2]);
	return NULL;
}

static struct trm_error *add_id(struct reading *reading, struct table *table, uint64_t id,
				size_t index, struct span span)
{
	bool made;
	uint64_t *known = table_insert(table, id, &made);

	if (!made || !id)
		return make_fault(reading, span.at, "an id is 0, or there twice");
	*known = index;
	return NULL;
}

static struct trm_error *add_mapping(struct reading *reading, struct span span)
{
	uint64_t n[7];

	TRM_TRY(read_numbers(reading, span, n, array_count(n)));
	vector_push(&reading->mappings, ((struct mapping){n[2], n[4], n[5], n[6]}));
	return add_id(reading, &reading->mapping_of, n[1], reading->mappings.count - 1,
		      span);
}

static struct trm_error *add_function(struct reading *reading, struct span span)
{
	uint64_t n[5];

	TRM_TRY(read_numbers(reading, span, n, array_count(n)));
	vector_push(&reading->functions, ((struct function){n[2], n[3], n[4]}));
	return add_id(reading, &reading->function_of, n[1], reading->functions.count - 1,
		      span);
}

static struct trm_error *add_location(struct reading *reading, struct span span)
{
	struct location location = {.first = (uint32_t)reading->lines.count};
	const struct span whole = span;
	struct field field;
	uint64_t id = 0, n[3];

	while (span.at < span.end) {
		TRM_TRY(read_field(reading, &span, &field));
		if (field.wire == PROTOBUF_VARINT && field.number == 1)
			id = field.value;
		if (field.wire == PROTOBUF_VARINT && field.number == 2)
			location.mapping = field.value;
		if (field.wire == PROTOBUF_VARINT && field.number == 3)
			location.address = field.value;
		if (field.wire != PROTOBUF_BYTES || field.number != 4)
			continue;
		TRM_TRY(read_numbers(reading, field.bytes, n, array_count(n)));
		vector_push(&reading->lines, ((struct line){n[1], n[2]}));
		location.count++;
	}
	vector_push(&reading->locations, location);
	return add_id(reading, &reading->location_of, id, reading->locations.count - 1,
		      whole);
}

static struct trm_error *add_nothing(struct reading *reading, struct span span)
{
	(void)reading;
	(void)span;
	return NULL;
}

static struct trm_error *add_sample(struct reading *reading, struct span span);

/* What is done with a field of the whole, in the first and in the second pass. */
static const struct {
	struct trm_error *(*pass[2])(struct reading *reading, struct span span);
} profile_fields[] = {
	[0] = {{add_nothing, add_nothing}},  [1] = {{add_type, add_nothing}},
	[2] = {{add_nothing, add_sample}},   [3] = {{add_mapping, add_nothing}},
	[4] = {{add_location, add_nothing}}, [5] = {{add_function, add_nothing}},
	[6] = {{add_string, add_nothing}},
};

static struct trm_error *read_profile(struct reading *reading, size_t pass)
{
	struct span span = {reading->input->bytes,
			    reading->input->bytes + reading->input->size};
	struct field field;

	while (span.at < span.end) {
		TRM_TRY(read_field(reading, &span, &field));
		if (field.number == 13 && field.wire == PROTOBUF_VARINT &&
		    !reading->comment)
			reading->comment = field.value;
		if (field.wire == PROTOBUF_BYTES &&
		    field.number < array_count(profile_fields))
			TRM_TRY(profile_fields[field.number].pass[pass](reading,
									field.bytes));
	}
	return NULL;
}

/* The text of a string's number. Zeros end it. */
static struct trm_error *text_of(struct reading *reading, uint64_t number, const char *at,
				 const char **ret_text)
{
	struct string *string;

	if (number >= reading->strings.count)
		return number ? make_fault(reading, at, "a string that is not there")
			      : (*ret_text = "", NULL);
	string = &reading->strings.items[number];
	if (!string->text) {
		string->text = memory_allocate(string->length + 1);
		memcpy(string->text, string->bytes, string->length);
		string->text[string->length] = '\0';
	}
	*ret_text = string->text;
	return NULL;
}

/* The module and the link-time address of a location, as far as the mapping tells. */
static struct trm_error *place_frame(struct reading *reading,
				     const struct location *location, const char *at,
				     struct import_frame *frame)
{
	uint64_t index;

	if (!location->mapping)
		return NULL;
	if (!table_find(&reading->mapping_of, location->mapping, &index))
		return make_fault(reading, at, "a mapping that is not there");
	const struct mapping *mapping = &reading->mappings.items[index];

	if (location->address >= mapping->start && location->address)
		frame->address = location->address - mapping->start + mapping->offset;
	return text_of(reading, mapping->file, at, &frame->module);
}

static struct trm_error *find_function(struct reading *reading, uint64_t id,
				       const char *at,
				       const struct function **ret_function)
{
	uint64_t index;

	if (!table_find(&reading->function_of, id, &index))
		return make_fault(reading, at, "a function that is not there");
	*ret_function = &reading->functions.items[index];
	return NULL;
}

/* The function whose code it is: the last one. The first one, which was put into it, has
 * the place in the source. */
static struct trm_error *name_frame(struct reading *reading,
				    const struct location *location, const char *at,
				    struct import_frame *frame)
{
	const struct line *inner = &reading->lines.items[location->first];
	const struct line *outer = inner + location->count - 1;
	const struct function *function = NULL;

	TRM_TRY(find_function(reading, inner->function, at, &function));
	TRM_TRY(text_of(reading, function->file, at, &frame->file));
	frame->line = inner->line <= INT32_MAX ? (uint32_t)inner->line : 0;
	TRM_TRY(find_function(reading, outer->function, at, &function));
	return text_of(reading, function->name ?: function->system_name, at,
		       &frame->function);
}

static struct trm_error *add_frame(struct reading *reading, uint64_t id, const char *at)
{
	struct import_frame frame = {.module = "", .function = "[unknown]", .file = ""};
	uint64_t index;

	if (!table_find(&reading->location_of, id, &index))
		return make_fault(reading, at, "a location that is not there");
	const struct location *location = &reading->locations.items[index];

	TRM_TRY(place_frame(reading, location, at, &frame));
	frame.region = !location->mapping && !location->address;
	if (location->count)
		TRM_TRY(name_frame(reading, location, at, &frame));
	vector_push(&reading->frames, frame);
	return NULL;
}

static struct trm_error *add_label(struct reading *reading, struct span span)
{
	const char *key;
	uint64_t n[4];

	TRM_TRY(read_numbers(reading, span, n, array_count(n)));
	TRM_TRY(text_of(reading, n[1], span.at, &key));
	if (!strcmp(key, "process") || !strcmp(key, "pid"))
		reading->process = n[3];
	if (!strcmp(key, "thread") || !strcmp(key, "tid"))
		reading->thread = n[3];
	return NULL;
}

static struct trm_error *check_values(const struct reading *reading, const char *at)
{
	if (reading->values.count != reading->types.count / 2)
		return make_fault(reading, at,
				  "a sample with more or fewer values than types");
	vector_for_each (&reading->values, value)
		if (*value > INT64_MAX)
			return make_fault(
				reading, at,
				"a negative value: differences are no profiles");
	return NULL;
}

/* Lists the frames of the stack that was read; without any it has one without a name. */
static struct trm_error *list_frames(struct reading *reading, const char *begin)
{
	vector_for_each (&reading->stack, id) {
		if (reading->frames.count >= IMPORT_DEPTH_MAX)
			break;
		TRM_TRY(add_frame(reading, *id, begin));
	}
	if (!reading->frames.count)
		vector_push(&reading->frames,
			    ((struct import_frame){
				    .module = "", .function = "[unknown]", .file = ""}));
	return NULL;
}

static struct trm_error *take_sample_field(struct reading *reading,
					   const struct field *field)
{
	if (field->number == 1)
		return READ_REPEATED(reading, field, &reading->stack);
	if (field->number == 2)
		return READ_REPEATED(reading, field, &reading->values);
	if (field->number == 3 && field->wire == PROTOBUF_BYTES)
		return add_label(reading, field->bytes);
	return NULL;
}

static struct trm_error *add_sample(struct reading *reading, struct span span)
{
	const char *begin = span.at;
	struct field field;

	reading->frames.count = reading->values.count = reading->stack.count = 0;
	reading->process = reading->thread = 0;
	while (span.at < span.end) {
		TRM_TRY(read_field(reading, &span, &field));
		TRM_TRY(take_sample_field(reading, &field));
	}
	TRM_TRY(check_values(reading, begin));
	TRM_TRY(list_frames(reading, begin));
	const struct import_place place = {reading->frames.items, reading->frames.count,
					   reading->process, reading->thread};

	import_values(reading->sink, &place, reading->first, reading->values.items,
		      reading->values.count);
	return NULL;
}

/* The types are made, and modules named. */
static struct trm_error *begin_samples(struct reading *reading)
{
	const char *at = reading->input->bytes, *name, *unit;

	if (!reading->types.count)
		return make_fault(reading, at, "no types of numbers");
	for (size_t i = 0; i < reading->types.count; i += 2) {
		TRM_TRY(text_of(reading, reading->types.items[i], at, &name));
		TRM_TRY(text_of(reading, reading->types.items[i + 1], at, &unit));
		uint32_t type = import_type(reading->sink, name, unit);

		if (!i)
			reading->first = type;
	}
	vector_for_each (&reading->mappings, mapping) {
		TRM_TRY(text_of(reading, mapping->file, at, &name));
		TRM_TRY(text_of(reading, mapping->build_id, at, &unit));
		import_module(reading->sink, name, unit);
		if (mapping == reading->mappings.items)
			import_program(reading->sink, name);
	}
	TRM_TRY(text_of(reading, reading->comment, at, &name));
	import_command(reading->sink, name);
	return NULL;
}

static void deinit_reading(struct reading *reading)
{
	vector_for_each (&reading->strings, string)
		free(string->text);
	vector_deinit(&reading->strings);
	vector_deinit(&reading->mappings);
	vector_deinit(&reading->functions);
	vector_deinit(&reading->locations);
	vector_deinit(&reading->lines);
	table_deinit(&reading->mapping_of);
	table_deinit(&reading->function_of);
	table_deinit(&reading->location_of);
	vector_deinit(&reading->types);
	vector_deinit(&reading->frames);
	vector_deinit(&reading->values);
	vector_deinit(&reading->stack);
}

bool import_is_pprof(const struct import_input *input)
{
	/* It begins with a type, or with whatever field; text does not. */
	return input->size > 2 && memchr(input->bytes, '\0', input->size) &&
	       (input->bytes[0] & 7) == PROTOBUF_BYTES &&
	       (unsigned char)input->bytes[0] < 15 << 3;
}

struct trm_error *import_pprof(struct import_input *input,
			       const struct import_options *options,
			       struct import_sink *sink)
{
	struct reading reading = {.input = input, .sink = sink};
	struct trm_error *error;

	(void)options;
	error = read_profile(&reading, 0);
	if (!error)
		error = begin_samples(&reading);
	if (!error)
		error = read_profile(&reading, 1);
	deinit_reading(&reading);
	return error;
}
