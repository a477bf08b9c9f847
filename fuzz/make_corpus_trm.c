/*
 * Writes the seed corpus of trm_fuzz into the folder named: whole files from the writer,
 * the same with damage, and payloads of chunks made by hand.
 *
 *     make_corpus_trm fuzz/corpus/trm
 */
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "record/record.h"
#include "record/trm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

static int folder = -1;

static void die(const char *what)
{
	fprintf(stderr, "make_corpus_trm: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void save(const char *name, const void *bytes, size_t size)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd))
		die(name);
}

static void check(struct trm_error *error)
{
	if (error) {
		trm_error_print(error);
		exit(1);
	}
}

static record_attribute intern(struct record_model *model, const char *name,
			       enum record_type type)
{
	record_attribute id = 0;

	check(record_attribute_intern(model, name, type, 0, &id));
	return id;
}

static struct text take_file(int fd)
{
	struct text text = {0};
	char buffer[4096];
	ssize_t got;

	lseek(fd, 0, SEEK_SET);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		text_add_bytes(&text, buffer, (size_t)got);
	close(fd);
	return text;
}

/* Functions of a module with offsets and calls, `flush` a chunk for each. */
static struct text functions_profile(unsigned count, bool flush)
{
	struct record_model *model = record_model_create();
	record_attribute command = intern(model, "run.command", RECORD_STRING);
	record_attribute module = intern(model, "module", RECORD_STRING);
	record_attribute function = intern(model, "function", RECORD_STRING);
	record_attribute offset = intern(model, "offset", RECORD_ADDRESS);
	record_attribute calls = intern(model, "calls", RECORD_UINT);
	record_node zip = record_node_child(model, 0, module, record_string("zip"));
	int fd = memfd_create("profile", 0);
	struct trm_writer *writer = trm_writer_create(fd, model);

	trm_writer_global(writer, command, record_string("zip -6"));
	for (unsigned i = 0; i < count; i++) {
		char name[32];
		struct record_pair pairs[] = {{offset, record_address(0x1000 + 64 * i)},
					      {calls, record_uint(i * i)}};

		snprintf(name, sizeof(name), "function_%u", i);
		trm_writer_record(
			writer,
			record_node_child(model, zip, function, record_string(name)),
			pairs, 2);
		if (flush)
			trm_writer_flush(writer);
	}
	check(trm_writer_finish(writer));
	record_model_destroy(model);
	return take_file(fd);
}

/* A value of every type, as a global, in the tree, and in a record. */
static struct text types_profile(void)
{
	static const struct record_value values[] = {
		{.type = RECORD_INT, .i = -5},
		{.type = RECORD_UINT, .u = UINT64_MAX},
		{.type = RECORD_DOUBLE, .d = 0.1},
		{.type = RECORD_STRING,
		 .size = 5,
		 .bytes = "d\xc3\xa9"
			  "fl"},
		{.type = RECORD_BOOL, .u = 1},
		{.type = RECORD_ADDRESS, .u = 0x401000},
		{.type = RECORD_TYPE, .u = RECORD_DOUBLE},
		{.type = RECORD_BLOB, .size = 3, .bytes = "\0\1\0"},
	};
	struct record_model *model = record_model_create();
	int fd = memfd_create("profile", 0);
	struct trm_writer *writer = trm_writer_create(fd, model);
	struct record_pair pairs[RECORD_TYPE_COUNT];
	record_node node = 0;

	for (unsigned i = 0; i < RECORD_TYPE_COUNT; i++) {
		pairs[i].attribute =
			intern(model, record_type_name(values[i].type), values[i].type);
		pairs[i].value = values[i];
		node = record_node_child(model, node, pairs[i].attribute, values[i]);
		trm_writer_global(writer, pairs[i].attribute, values[i]);
	}
	trm_writer_record(writer, node, pairs, RECORD_TYPE_COUNT);
	trm_writer_record(writer, 0, pairs, RECORD_TYPE_COUNT);
	check(trm_writer_finish(writer));
	record_model_destroy(model);
	return take_file(fd);
}

static void save_files(void)
{
	struct text few = functions_profile(3, false), many = functions_profile(40, true);
	struct text types = types_profile(), none = functions_profile(0, false);
	struct text two = {0};

	save("file-functions", few.data, few.length);
	save("file-chunks", many.data, many.length);
	save("file-types", types.data, types.length);
	save("file-nothing", none.data, none.length);
	text_add_bytes(&two, few.data, few.length);
	text_add_bytes(&two, types.data, types.length);
	save("file-two", two.data, two.length);
	/* The first of the two is torn, the second is whole. */
	memmove(two.data + few.length - 30, two.data + few.length, types.length);
	save("file-two-torn", two.data, two.length - 30);
	save("file-torn", many.data, many.length / 2);
	save("file-head", few.data, TRM_HEADER_SIZE);
	few.data[5] = 9;
	save("file-later-version", few.data, few.length);
	few.data[5] = TRM_VERSION;
	few.data[TRM_HEADER_SIZE + 16] ^= 1;
	save("file-checksum", few.data, few.length);
	text_deinit(&few);
	text_deinit(&many);
	text_deinit(&types);
	text_deinit(&none);
	text_deinit(&two);
}

#define FUNCTION                                                                         \
	"\x01\x08"                                                                       \
	"function\x03\0"
#define CALLS                                                                            \
	"\x01\x05"                                                                       \
	"calls\x01\x20"
#define MAIN "\x02\x01\0\x04main\0"

/* A chunk that is stored as it is, with a right checksum. */
static void add_plain_chunk(struct text *file, char kind, const struct text *payload)
{
	uint8_t head[TRM_HEADER_SIZE] = TRM_MAGIC;

	head[4] = (uint8_t)kind;
	head[5] = kind == TRM_HEAD ? TRM_VERSION : 0;
	trm_put_u32(head + 8, (uint32_t)payload->length);
	trm_put_u32(head + 12, (uint32_t)payload->length);
	trm_put_u64(head + 16, trm_checksum(head, payload->data, payload->length));
	text_add_bytes(file, (const char *)head, sizeof(head));
	text_add_bytes(file, payload->data ? payload->data : "", payload->length);
}

static void save_payloads(void)
{
#define PAYLOAD(name, definitions, records)                                              \
	{                                                                                \
		name, definitions, sizeof(definitions) - 1, records, sizeof(records) - 1 \
	}
	static const struct {
		const char *name, *definitions;
		size_t definitions_size; /* less than 128: a varint of one byte */
		const char *records;
		size_t records_size;
	} payloads[] = {
		/* The example at the head of record/trm.h. */
		PAYLOAD("example", FUNCTION CALLS MAIN "\x04\x01\x01", "\0\x02\x06"),
		PAYLOAD("global", FUNCTION "\x03\0\x01x\0", ""),
		PAYLOAD("shapes", FUNCTION CALLS "\x04\0\x04\x02\x01\x01",
			"\0\0\x01\0\x02\x03"),
		PAYLOAD("description", FUNCTION CALLS "\x05\x01\0\x03sec\0", ""),
		PAYLOAD("node-alone", MAIN, ""),
		PAYLOAD("string-cut", FUNCTION "\x02\x01\0\x7fmai", ""),
		PAYLOAD("long-varint", CALLS "\x04\x01\0",
			"\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
	};

	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		struct text payload = {0}, file = {0};
		char size = (char)payloads[i].definitions_size, name[64];

		text_add_bytes(&payload, &size, 1);
		text_add_bytes(&payload, payloads[i].definitions,
			       payloads[i].definitions_size);
		text_add_bytes(&payload, payloads[i].records, payloads[i].records_size);
		snprintf(name, sizeof(name), "payload-%s", payloads[i].name);
		save(name, payload.data, payload.length);
		add_plain_chunk(&file, TRM_HEAD, &(struct text){0});
		add_plain_chunk(&file, TRM_DATA, &payload);
		add_plain_chunk(&file, TRM_END, &(struct text){0});
		snprintf(name, sizeof(name), "plain-%s", payloads[i].name);
		save(name, file.data, file.length);
		text_deinit(&payload);
		text_deinit(&file);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: make_corpus_trm FOLDER\n", stderr);
		return 2;
	}
	folder = open(argv[1], O_RDONLY | O_DIRECTORY);
	if (folder < 0)
		die(argv[1]);
	save_files();
	save_payloads();
	return 0;
}
