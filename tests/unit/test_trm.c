/* .trm files: what is written is read again, and damage never does harm. */
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "base/cleanup.h"
#include "record/record.h"
#include "record/trm.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

/* What a reader saw, as text: a line for each record and global. */
struct seen {
	struct record_model *model;
	struct text text;
	size_t records, files;
	bool quiet; /* only count */
};

static void add_pair(struct seen *seen, struct record_pair pair)
{
	text_format(&seen->text,
		    "%s=", record_attribute_name(seen->model, pair.attribute));
	record_value_text(&seen->text, pair.value);
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct seen *seen = context;

	seen->records++;
	if (seen->quiet)
		return;
	for (; node; node = record_node_parent(seen->model, node)) {
		add_pair(seen, record_node_pair(seen->model, node));
		text_add(&seen->text, "<");
	}
	for (size_t i = 0; i < count; i++) {
		text_add(&seen->text, " ");
		add_pair(seen, pairs[i]);
	}
	text_add(&seen->text, "\n");
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct seen *seen = context;

	text_add(&seen->text, "global ");
	add_pair(seen, (struct record_pair){attribute, value});
	text_add(&seen->text, "\n");
}

static void see_file(void *context)
{
	((struct seen *)context)->files++;
}

static struct trm_visitor seeing(struct seen *seen)
{
	seen->model = record_model_create();
	return (struct trm_visitor){.context = seen,
				    .record = see_record,
				    .global = see_global,
				    .file = see_file};
}

static void forget(struct seen *seen)
{
	text_deinit(&seen->text);
	record_model_destroy(seen->model);
	*seen = (struct seen){0};
}

struct bytes {
	uint8_t *data;
	size_t size;
};

/* The content of a descriptor, which is closed. */
static struct bytes take_file(int fd)
{
	struct bytes bytes = {.size = (size_t)lseek(fd, 0, SEEK_END)};

	bytes.data = malloc(bytes.size + 1);
	assert_non_null(bytes.data);
	assert_int_equal(pread(fd, bytes.data, bytes.size, 0), bytes.size);
	close(fd);
	return bytes;
}

static record_attribute intern(struct record_model *model, const char *name,
			       enum record_type type)
{
	record_attribute id = 0;

	assert_null(record_attribute_intern(model, name, type, 0, &id));
	return id;
}

#define UNUSUAL                                                                          \
	"d\xc3\xa9"                                                                      \
	"flate\n"

/* A small profile with every type of value; `count` records, `flush` a chunk for each. */
static struct bytes sample_profile(unsigned count, bool flush)
{
	struct record_model *model = record_model_create();
	record_attribute unused = intern(model, "unused", RECORD_UINT);
	record_attribute command = intern(model, "run.command", RECORD_STRING);
	record_attribute function = intern(model, "function", RECORD_STRING);
	record_attribute level = intern(model, "level", RECORD_INT);
	record_attribute calls = intern(model, "calls", RECORD_UINT);
	record_attribute offset = intern(model, "offset", RECORD_ADDRESS);
	record_attribute share = intern(model, "share", RECORD_DOUBLE);
	record_attribute hot = intern(model, "hot", RECORD_BOOL);
	record_attribute kind = intern(model, "kind", RECORD_TYPE);
	record_attribute code = intern(model, "code", RECORD_BLOB);
	int fd = memfd_create("sample", 0);
	struct trm_writer *writer = trm_writer_create(fd, model);

	record_node_child(model, 0, unused, record_uint(1));
	trm_writer_global(writer, command, record_string("gzip -6"));
	for (unsigned i = 0; i < count; i++) {
		record_node outer = record_node_child(
			model, 0, level,
			(struct record_value){.type = RECORD_INT, .i = -1 - (int64_t)i});
		record_node node =
			record_node_child(model, outer, function, record_string(UNUSUAL));
		struct record_pair pairs[] = {
			{calls, record_uint(UINT64_MAX - i)},
			{offset, record_address(0x1000u * i)},
			{share, {.type = RECORD_DOUBLE, .d = 1.0 / (i + 3)}},
			{hot, {.type = RECORD_BOOL, .u = i & 1}},
			{kind, {.type = RECORD_TYPE, .u = RECORD_DOUBLE}},
			{code, {.type = RECORD_BLOB, .size = 3, .bytes = "\0\x01\0"}},
			{level, {.type = RECORD_INT, .i = INT64_MIN + i}},
			{command, record_string("")},
		};

		trm_writer_record(writer, i % 3 ? node : 0, pairs, i % 2 ? 8 : 3);
		if (flush)
			trm_writer_flush(writer);
	}
	assert_null(trm_writer_finish(writer));
	record_model_destroy(model);
	return take_file(fd);
}

/* The text that sample_profile(count) reads as. */
static void sample_text(struct text *text, unsigned count)
{
	text_add(text, "global run.command=gzip -6\n");
	for (unsigned i = 0; i < count; i++) {
		if (i % 3)
			text_format(text, "function=" UNUSUAL "<level=%d<", -1 - (int)i);
		text_format(text, " calls=%llu offset=0x%x share=", UINT64_MAX - i + 0ull,
			    0x1000u * i);
		record_value_text(text, (struct record_value){.type = RECORD_DOUBLE,
							      .d = 1.0 / (i + 3)});
		if (i % 2)
			text_format(text,
				    " hot=true kind=double code=000100 level=%lld "
				    "run.command=",
				    (long long)INT64_MIN + i);
		text_add(text, "\n");
	}
}

static char *read_bytes(struct bytes bytes, struct seen *seen)
{
	struct trm_visitor visitor = seeing(seen);
	char *warning = NULL;

	assert_null(trm_read_memory(bytes.data, bytes.size, "x.trm", seen->model,
				    &visitor, &warning));
	return warning;
}

static void check_sample(unsigned count, bool flush)
{
	struct bytes bytes = sample_profile(count, flush);
	struct text expected = {0};
	struct seen seen = {0};
	record_attribute found;

	sample_text(&expected, count);
	assert_null(read_bytes(bytes, &seen));
	assert_string_equal(seen.text.data, expected.data);
	assert_int_equal(seen.files, 1);
	/* What no record uses is not stored. */
	assert_false(record_attribute_find(seen.model, "unused", &found));
	forget(&seen);
	text_deinit(&expected);
	free(bytes.data);
}

static void test_round_trip(void **state)
{
	(void)state;
	check_sample(0, false);
	check_sample(1, false);
	check_sample(100, false);
	check_sample(100, true);
	check_sample(50000, false); /* several chunks */
}

static void test_read_from_file_and_pipe(void **state)
{
	struct bytes bytes = sample_profile(1000, false);
	char path[] = "/tmp/test_trm.XXXXXX";
	int fd = mkstemp(path);
	struct seen seen = {0}, piped = {0};
	struct trm_visitor visitor = seeing(&seen), pipe_visitor = seeing(&piped);
	char *warning = NULL, pipe_path[32];
	int ends[2];

	(void)state;
	assert_int_equal(write(fd, bytes.data, bytes.size), bytes.size);
	close(fd);
	assert_null(trm_read(path, seen.model, &visitor, &warning));
	assert_null(warning);
	assert_int_equal(seen.records, 1000);
	unlink(path);
	assert_int_equal(pipe(ends), 0);
	assert_true(bytes.size < 65536);
	assert_int_equal(write(ends[1], bytes.data, bytes.size), bytes.size);
	close(ends[1]);
	snprintf(pipe_path, sizeof(pipe_path), "/dev/fd/%d", ends[0]);
	assert_null(trm_read(pipe_path, piped.model, &pipe_visitor, &warning));
	assert_null(warning);
	assert_string_equal(piped.text.data, seen.text.data);
	close(ends[0]);
	forget(&seen);
	forget(&piped);
	free(bytes.data);
}

static struct bytes join(struct bytes a, struct bytes b)
{
	struct bytes both = {malloc(a.size + b.size), a.size + b.size};

	assert_non_null(both.data);
	memcpy(both.data, a.data, a.size);
	memcpy(both.data + a.size, b.data, b.size);
	return both;
}

static void test_files_behind_each_other(void **state)
{
	struct bytes a = sample_profile(20, false), b = sample_profile(7, true);
	struct bytes both = join(a, b);
	struct text expected = {0};
	struct seen seen = {0};

	(void)state;
	sample_text(&expected, 20);
	sample_text(&expected, 7);
	assert_null(read_bytes(both, &seen));
	assert_string_equal(seen.text.data, expected.data);
	assert_int_equal(seen.files, 2);
	forget(&seen);
	text_deinit(&expected);
	free(a.data);
	free(b.data);
	free(both.data);
}

static void test_whole_file_behind_a_torn_one(void **state)
{
	struct bytes a = sample_profile(20, true), b = sample_profile(7, true);
	struct bytes torn = {a.data, a.size - 40}, both = join(torn, b);
	struct seen seen = {0};

	(void)state;
	char *warning = read_bytes(both, &seen);

	assert_non_null(warning);
	assert_int_equal(seen.files, 2);
	assert_in_range(seen.records, 7 + 18, 7 + 19);
	free(warning);
	forget(&seen);
	free(a.data);
	free(b.data);
	free(both.data);
}

/* Whatever the length, what is read is a beginning of what was written, and a tear is
 * told. */
static void test_torn_at_every_byte(void **state)
{
	struct bytes bytes = sample_profile(12, true);
	struct text whole = {0};
	size_t most = 0;

	(void)state;
	sample_text(&whole, 12);
	for (size_t size = 5; size < bytes.size; size++) {
		struct seen seen = {0};
		char *warning = read_bytes((struct bytes){bytes.data, size}, &seen);
		const char *text = seen.text.data ? seen.text.data : "";

		assert_non_null(warning);
		assert_null(strchr(warning, '\n'));
		assert_memory_equal(text, whole.data, strlen(text));
		assert_true(seen.records >= most);
		most = seen.records;
		free(warning);
		forget(&seen);
	}
	assert_int_equal(most, 12);
	text_deinit(&whole);
	free(bytes.data);
}

/* One flipped bit: an error or a warning, and never a wrong record. */
static void test_flipped_bits(void **state)
{
	struct bytes bytes = sample_profile(6, true);
	struct text whole = {0};

	(void)state;
	sample_text(&whole, 6);
	for (size_t bit = 0; bit < bytes.size * 8; bit++) {
		struct seen seen = {0};
		struct trm_visitor visitor = seeing(&seen);
		char *warning = NULL;

		bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		struct trm_error *error = trm_read_memory(bytes.data, bytes.size, "x.trm",
							  seen.model, &visitor, &warning);
		const char *text = seen.text.data ? seen.text.data : "";

		assert_true(error || warning);
		assert_memory_equal(text, whole.data, strlen(text));
		bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		trm_error_destroy(error);
		free(warning);
		forget(&seen);
	}
	text_deinit(&whole);
	free(bytes.data);
}

static void check_refused(const void *data, size_t size, enum trm_error_code code,
			  const char *message)
{
	struct seen seen = {0};
	struct trm_visitor visitor = seeing(&seen);
	char *warning = NULL;
	struct trm_error *error =
		trm_read_memory(data, size, "x.trm", seen.model, &visitor, &warning);

	assert_non_null(error);
	assert_int_equal(error->code, code);
	assert_string_equal(error->message, message);
	assert_null(warning);
	trm_error_destroy(error);
	forget(&seen);
}

static void test_no_profile(void **state)
{
	struct bytes bytes = sample_profile(1, false);
	struct seen seen = {0};
	struct trm_visitor visitor = seeing(&seen);
	char *warning = NULL;

	(void)state;
	check_refused("", 0, TRM_ERROR_FORMAT,
		      "'x.trm' is empty: its writer ended before it could write, measure "
		      "again");
	check_refused(
		"\x7f"
		"ELF\2\1\1",
		7, TRM_ERROR_FORMAT,
		"'x.trm' is not a profile: it does not begin as a .trm or .cali file");
	check_refused("\x1f\x8b\x08", 3, TRM_ERROR_FORMAT,
		      "'x.trm' is compressed: let trammel read what 'zcat' makes of it, "
		      "as file '-'");
	bytes.data[5] = 3;
	check_refused(
		bytes.data, bytes.size, TRM_ERROR_UNSUPPORTED,
		"'x.trm' has the format version 3, this trammel reads up to 2: use a "
		"later one");
	struct trm_error *error =
		trm_read("/nowhere/x.trm", seen.model, &visitor, &warning);

	assert_string_equal(error->message,
			    "cannot open '/nowhere/x.trm': No such file or directory");
	trm_error_destroy(error);
	error = trm_read("/", seen.model, &visitor, &warning);
	assert_string_equal(error->message, "cannot read '/': Is a directory");
	trm_error_destroy(error);
	forget(&seen);
	free(bytes.data);
}

/* A chunk of our own making around any payload. */
static void add_chunk(struct text *file, char kind, const void *payload, size_t size)
{
	size_t bound = ZSTD_compressBound(size), stored;
	uint8_t *chunk = calloc(1, TRM_HEADER_SIZE + bound);

	assert_non_null(chunk);
	stored = size ? ZSTD_compress(chunk + TRM_HEADER_SIZE, bound, payload, size, 1)
		      : 0;
	memcpy(chunk, TRM_MAGIC, 4);
	chunk[4] = (uint8_t)kind;
	chunk[5] = kind == 'H';
	chunk[6] = size > 0;
	trm_put_u32(chunk + 8, (uint32_t)stored);
	trm_put_u32(chunk + 12, (uint32_t)size);
	trm_put_u64(chunk + 16, trm_checksum(chunk, chunk + TRM_HEADER_SIZE, stored));
	text_add_bytes(file, (char *)chunk, TRM_HEADER_SIZE + stored);
	free(chunk);
}

/* What is said of a file with this one payload; free() it. NULL: all is well. */
static char *judge_payload(const void *payload, size_t size, struct seen *seen)
{
	struct text file = {0};

	add_chunk(&file, 'H', "", 0);
	add_chunk(&file, 'D', payload, size);
	add_chunk(&file, 'E', "", 0);
	char *warning =
		read_bytes((struct bytes){(uint8_t *)file.data, file.length}, seen);

	text_deinit(&file);
	return warning;
}

#define FUNCTION                                                                         \
	"\x01\x08"                                                                       \
	"function\x03\0"
#define CALLS                                                                            \
	"\x01\x05"                                                                       \
	"calls\x01\x20"
#define MAIN "\x02\x01\0\x04main\0"
#define EXAMPLE                                                                          \
	"\x21" FUNCTION CALLS MAIN "\x04\x01\x01"                                        \
	"\0\x02\x06"

/* The example at the head of record/trm.h. */
static void test_example_of_the_format(void **state)
{
	struct seen seen = {0};
	char *warning = judge_payload(EXAMPLE, sizeof(EXAMPLE) - 1, &seen);

	(void)state;
	assert_null(warning);
	assert_string_equal(seen.text.data, "function=main< calls=3\n");
	forget(&seen);
}

#define PAYLOAD(string, damage)                                                          \
	{                                                                                \
		string, sizeof(string) - 1, damage                                       \
	}
static const struct {
	const char *payload;
	size_t size;
	const char *damage;
} damaged_payloads[] = {
	PAYLOAD("\x05", "definitions that are cut off"),
	PAYLOAD("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "definitions"),
	PAYLOAD("\x01\x09", "an unknown kind of definition"),
	PAYLOAD("\x05\x01\x01"
		"a\x08\0",
		"an attribute that makes no sense"),
	PAYLOAD("\x05\x01\x01\0\x01\0", "an attribute that makes no sense"),
	PAYLOAD("\x04\x01\0\x01\0", "an attribute that makes no sense"),
	PAYLOAD("\x03\x01\x7f"
		"a",
		"an attribute that makes no sense"),
	PAYLOAD("\x0a\x01\x01"
		"a\x01\0\x01\x01"
		"a\x03\0",
		"had another type"),
	PAYLOAD("\x04\x02\x01\0\0", "a node without parent or attribute"),
	PAYLOAD("\x09\x01\x01"
		"a\x01\0\x02\x02\0\0",
		"a node without parent"),
	PAYLOAD("\x09\x01\x01"
		"a\x01\0\x02\0\0\0",
		"a node without parent"),
	PAYLOAD("\x0a\x01\x01"
		"a\x03\0\x02\x01\0\x01"
		"x",
		"a node without value"),
	PAYLOAD("\x0b\x01\x01"
		"a\x03\0\x02\x01\0\x01"
		"xy",
		"a node without value"),
	PAYLOAD("\x09\x01\x01"
		"a\x02\0\x02\x01\0\1",
		"a node without value"),
	PAYLOAD("\x02\x03\0", "a global without attribute"),
	PAYLOAD("\x07\x01\x01"
		"a\x01\0\x03\0",
		"a global without value"),
	PAYLOAD("\x03\x04\x01\0", "a kind of records with an unknown attribute"),
	PAYLOAD("\x05\x04\xff\xff\xff\x7f", "too many kinds of records"),
	PAYLOAD("\0\0\0", "a record of an unknown kind"),
	PAYLOAD("\x02\x04\0\0", "a record of an unknown kind"),
	PAYLOAD("\x02\x04\0\0\x02", "a record with an unknown node"),
	PAYLOAD("\x02\x04\0\0\x01", "a record with an unknown node"),
	PAYLOAD("\x08\x01\x01"
		"a\x01\0\x04\x01\0\0\0\x80",
		"a record that is cut off"),
	PAYLOAD("\x08\x01\x01"
		"a\x01\0\x04\x01\0\0\0",
		"a record that is cut off"),
	PAYLOAD("\x08\x01\x01"
		"a\x03\0\x04\x01\0\0\0\x02x",
		"a record that is cut off"),
};

static void test_damaged_payloads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damaged_payloads) / sizeof(damaged_payloads[0]);
	     i++) {
		struct seen seen = {0};
		char *warning = judge_payload(damaged_payloads[i].payload,
					      damaged_payloads[i].size, &seen);

		if (!warning || !strstr(warning, damaged_payloads[i].damage))
			fail_msg("case %zu: %s, not %s", i, warning,
				 damaged_payloads[i].damage);
		assert_int_equal(seen.records, 0);
		free(warning);
		forget(&seen);
	}
}

/* A few KiB that would become some hundred MiB of nodes. */
static void test_bombs(void **state)
{
	enum { NODES = 15, STRING = 1 << 20, CHUNKS = 40 };
	struct text nodes = {0}, payload = {0}, file = {0};
	char *string = calloc(1, STRING + 1);
	uint8_t number[10];
	struct seen seen = {.quiet = true};

	(void)state;
	assert_non_null(string);
	for (int i = 0; i < NODES; i++) {
		text_add_bytes(&nodes, "\x02\x01\0", 3);
		text_add_bytes(&nodes, (char *)number,
			       (size_t)(trm_put_varint(number, STRING) - number));
		text_add_bytes(&nodes, string, STRING + 1);
	}
	text_add_bytes(&payload, (char *)number,
		       (size_t)(trm_put_varint(number, nodes.length) - number));
	text_add_bytes(&payload, nodes.data, nodes.length);
	add_chunk(&file, 'H', "", 0);
	add_chunk(&file, 'D',
		  "\x05\x01\x01"
		  "a\x07\0",
		  6);
	for (int i = 0; i < CHUNKS; i++)
		add_chunk(&file, 'D', payload.data, payload.length);
	add_chunk(&file, 'E', "", 0);
	char *warning =
		read_bytes((struct bytes){(uint8_t *)file.data, file.length}, &seen);

	assert_true(file.length < 100000);
	assert_non_null(warning);
	assert_non_null(
		strstr(warning, "more nodes than a file of its size should have"));
	assert_in_range(record_node_count(seen.model), 200, 300);
	free(warning);
	forget(&seen);
	text_deinit(&nodes);
	text_deinit(&payload);
	text_deinit(&file);
	free(string);
}

static void write_until_error(int fd, int code, const char *message)
{
	struct record_model *model = record_model_create();
	record_attribute calls = intern(model, "calls", RECORD_UINT);
	struct trm_writer *writer = trm_writer_create(fd, model);

	for (uint64_t i = 0; i < 300000; i++)
		trm_writer_record(
			writer, 0,
			&(struct record_pair){calls, record_uint(i * i * 77777)}, 1);
	struct trm_error *error = trm_writer_finish(writer);

	assert_non_null(error);
	assert_int_equal(error->system_code, code);
	assert_string_equal(error->message, message);
	trm_error_destroy(error);
	record_model_destroy(model);
}

static void test_write_errors(void **state)
{
	char path[] = "/tmp/test_trm.XXXXXX";
	struct rlimit old;
	int ends[2], full = open("/dev/full", O_WRONLY), limited = mkstemp(path);

	(void)state;
	assert_true(full >= 0 && limited >= 0);
	write_until_error(
		full, ENOSPC,
		"cannot write the profile: No space left on device; free some space "
		"or choose another place with -o");
	/* Neither signal reaches us: both would end the test. */
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	write_until_error(
		ends[1], EPIPE,
		"cannot write the profile: Broken pipe; the program that was to read "
		"it has ended");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){70000, old.rlim_max}),
			 0);
	write_until_error(limited, EFBIG,
			  "cannot write the profile: File too large; raise the limit "
			  "(ulimit -f) or choose another place with -o");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);

	/* What was written before the error can be read. */
	struct seen seen = {0};
	struct trm_visitor visitor = seeing(&seen);
	char *warning = NULL;

	assert_null(trm_read(path, seen.model, &visitor, &warning));
	assert_non_null(warning);
	free(warning);
	forget(&seen);
	unlink(path);
	close(full);
	close(limited);
	close(ends[1]);
}

static void test_values_too_large(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute blob = intern(model, "blob", RECORD_BLOB);
	char *bytes = calloc(1, TRM_ITEM_MAX + 1);
	int fd = memfd_create("large", 0);
	struct trm_writer *writer = trm_writer_create(fd, model);
	struct record_value value = {
		.type = RECORD_BLOB, .size = TRM_ITEM_MAX - 100, .bytes = bytes};

	(void)state;
	for (int i = 0; i < 3; i++) {
		bytes[0] = (char)i;
		trm_writer_record(writer, record_node_child(model, 0, blob, value),
				  &(struct record_pair){blob, value}, 1);
	}
	value.size = TRM_ITEM_MAX + 1;
	trm_writer_global(writer, blob, value);
	struct trm_error *error = trm_writer_finish(writer);

	assert_string_equal(error->message,
			    "a value of 'blob' has 8388609 bytes, 8388608 can be stored");
	trm_error_destroy(error);
	struct seen seen = {.quiet = true};
	struct bytes file = take_file(fd);
	char *warning = read_bytes(file, &seen);

	assert_in_range(seen.records, 2, 3);
	assert_non_null(warning);
	free(warning);
	forget(&seen);
	free(file.data);
	free(bytes);
	record_model_destroy(model);
}

static void test_record_too_wide(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute attribute = intern(model, "number", RECORD_UINT);
	int fd = memfd_create("wide", 0);
	struct trm_writer *writer = trm_writer_create(fd, model);
	struct record_pair *pairs = calloc(TRM_RECORD_PAIRS_MAX + 1, sizeof(*pairs));

	(void)state;
	for (uint64_t i = 0; i <= TRM_RECORD_PAIRS_MAX; i++)
		pairs[i] = (struct record_pair){attribute, record_uint(i)};
	trm_writer_record(writer, 0, pairs, TRM_RECORD_PAIRS_MAX);
	trm_writer_record(writer, 0, pairs, TRM_RECORD_PAIRS_MAX + 1);
	struct trm_error *error = trm_writer_finish(writer);

	assert_string_equal(error->message,
			    "a record has 65537 attributes, 65536 can be stored");
	trm_error_destroy(error);
	free(pairs);
	close(fd);
	record_model_destroy(model);
}

/* More kinds of records than a chunk may have: the writer starts another one. */
static void test_many_kinds_of_records(void **state)
{
	enum { COUNT = 300 };
	struct record_model *model = record_model_create();
	struct record_pair pairs[COUNT];
	int fd = memfd_create("kinds", 0);
	struct trm_writer *writer = trm_writer_create(fd, model);
	size_t records = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		char name[32];

		snprintf(name, sizeof(name), "a%d", i);
		pairs[i] = (struct record_pair){intern(model, name, RECORD_UINT),
						record_uint(7)};
	}
	for (int first = 0; first < COUNT; first++)
		for (int count = 1; first + count <= COUNT; count += 7, records++)
			trm_writer_record(writer, 0, pairs + first, (size_t)count);
	assert_null(trm_writer_finish(writer));
	struct seen seen = {0};
	struct bytes file = take_file(fd);

	assert_null(read_bytes(file, &seen));
	assert_int_equal(seen.records, records);
	forget(&seen);
	free(file.data);
	record_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_read_from_file_and_pipe),
		cmocka_unit_test(test_files_behind_each_other),
		cmocka_unit_test(test_whole_file_behind_a_torn_one),
		cmocka_unit_test(test_torn_at_every_byte),
		cmocka_unit_test(test_flipped_bits),
		cmocka_unit_test(test_no_profile),
		cmocka_unit_test(test_example_of_the_format),
		cmocka_unit_test(test_damaged_payloads),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_values_too_large),
		cmocka_unit_test(test_record_too_wide),
		cmocka_unit_test(test_many_kinds_of_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
