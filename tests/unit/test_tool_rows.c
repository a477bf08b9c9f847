/* Records of tools become rows: sums, least and largest numbers by keys; and bytes that
 * are no records do no harm. */
#include "session/state/tool_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct bytes VECTOR(uint8_t);

struct field {
	uint8_t role, type;
	const char *name;
	int64_t number;
	double real;
	const char *text;
};

static void add_bytes(struct bytes *bytes, const void *more, size_t size)
{
	for (size_t i = 0; i < size; i++)
		vector_push(bytes, ((const uint8_t *)more)[i]);
}

static void add_value(struct bytes *bytes, const struct field *field)
{
	const uint64_t length = field->text ? strlen(field->text) : 0;

	if (field->text) {
		add_bytes(bytes, &length, sizeof(length));
		add_bytes(bytes, field->text, (size_t)length);
	} else if (field->type == WIRE_FIELD_FLOAT) {
		add_bytes(bytes, &field->real, sizeof(field->real));
	} else {
		add_bytes(bytes, &field->number, sizeof(field->number));
	}
}

static void add_record(struct bytes *bytes, const char *table, const struct field *fields,
		       uint16_t count)
{
	struct wire_tool_record head = {.tool = 3, .fields = count};
	const size_t at = bytes->count;

	add_bytes(bytes, &head, sizeof(head));
	add_bytes(bytes, table, strlen(table) + 1);
	for (uint16_t i = 0; i < count; i++) {
		vector_push(bytes, fields[i].role);
		vector_push(bytes, fields[i].type);
		add_bytes(bytes, fields[i].name, strlen(fields[i].name) + 1);
	}
	head.shape_size = (uint32_t)(bytes->count - at - sizeof(head));
	for (uint16_t i = 0; i < count; i++)
		add_value(bytes, &fields[i]);
	head.size = (uint32_t)(bytes->count - at);
	memcpy(bytes->items + at, &head, sizeof(head));
}

static uint64_t find_code(void *context, uint64_t address)
{
	(void)context;
	return tool_code_number(7, address + 1);
}

static void add_region(void *context, const char *encoded, struct text *text)
{
	(void)context;
	text_format(text, "in %s", encoded);
}

enum { KEY, TEXT, PC, SUM, REAL, LEAST, MOST, FIELDS };

static void add_sample(struct bytes *bytes, int64_t key, const char *text, int64_t number)
{
	const struct field fields[FIELDS] = {
		[KEY] = {WIRE_FIELD_KEY, WIRE_FIELD_INT, "key", .number = key},
		[TEXT] = {WIRE_FIELD_KEY, WIRE_FIELD_TEXT, "text", .text = text},
		[PC] = {WIRE_FIELD_KEY, WIRE_FIELD_PC, "pc", .number = 0x1000},
		[SUM] = {WIRE_FIELD_SUM, WIRE_FIELD_INT, "sum", .number = number},
		[REAL] = {WIRE_FIELD_SUM, WIRE_FIELD_FLOAT, "real", .real = 0.25},
		[LEAST] = {WIRE_FIELD_LEAST, WIRE_FIELD_INT, "least", .number = number},
		[MOST] = {WIRE_FIELD_MOST, WIRE_FIELD_INT, "most", .number = number},
	};

	add_record(bytes, "samples", fields, FIELDS);
}

struct setup {
	struct tool_shapes shapes;
	struct tool_rows rows;
	struct bytes bytes;
};

static void take(struct setup *setup)
{
	const struct tool_finder finder = {find_code, add_region, NULL};

	tool_rows_add(&setup->shapes, &setup->rows, setup->bytes.items,
		      setup->bytes.count, &finder);
}

static void tear_down(struct setup *setup)
{
	tool_shapes_deinit(&setup->shapes);
	vector_deinit(&setup->rows.items);
	vector_deinit(&setup->rows.words);
	table_deinit(&setup->rows.by_keys);
	table_deinit(&setup->rows.regions);
	vector_deinit(&setup->bytes);
}

static void adds_up(void **state)
{
	struct setup setup = {0};
	const uint64_t *words;
	double real;

	(void)state;
	add_sample(&setup.bytes, -5, "one", -10);
	add_sample(&setup.bytes, -5, "two", 1);
	add_sample(&setup.bytes, -5, "one", 30);
	add_sample(&setup.bytes, 6, "", 2);
	add_record(&setup.bytes, "totals",
		   &(struct field){WIRE_FIELD_SUM, WIRE_FIELD_INT, "n", .number = 9}, 1);
	take(&setup);
	assert_int_equal(setup.shapes.items.count, 2);
	assert_int_equal(setup.shapes.bad, 0);
	assert_int_equal(setup.rows.items.count, 4);
	assert_int_equal(setup.rows.items.items[0].times, 2);
	words = setup.rows.words.items + setup.rows.items.items[0].first;
	assert_int_equal((int64_t)words[KEY], -5);
	assert_string_equal(setup.shapes.texts.strings[words[TEXT]], "one");
	assert_int_equal(tool_code_index(words[PC]), 7);
	assert_int_equal(tool_code_address(words[PC]), 0x1001);
	assert_int_equal((int64_t)words[SUM], 20);
	memcpy(&real, &words[REAL], sizeof(real));
	assert_true(real == 0.5);
	assert_int_equal((int64_t)words[LEAST], -10);
	assert_int_equal((int64_t)words[MOST], 30);
	assert_string_equal(setup.shapes.items.items[1]->table, "totals");
	tear_down(&setup);
}

/* Whatever is missing at the end, the records in front of it are there. */
static void is_cut_short(void **state)
{
	struct setup whole = {0};

	(void)state;
	add_sample(&whole.bytes, 1, "text", 1);
	const size_t first = whole.bytes.count;

	add_sample(&whole.bytes, 2, "text", 1);
	for (size_t size = 0; size <= whole.bytes.count; size++) {
		struct setup part = {0};

		add_bytes(&part.bytes, whole.bytes.items, size);
		take(&part);
		assert_int_equal(part.rows.items.count,
				 (size >= first) + (size == whole.bytes.count));
		assert_int_equal(part.shapes.bad,
				 size && size != first && size != whole.bytes.count);
		tear_down(&part);
	}
	tear_down(&whole);
}

static void is_overwritten(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed < 3000; seed++) {
		struct setup one = {0};

		for (int64_t i = 0; i < 4; i++)
			add_sample(&one.bytes, i, "text", i);
		srand(seed);
		for (int i = 0; i < 1 + (int)seed % 8; i++)
			one.bytes.items[(size_t)rand() % one.bytes.count] =
				(uint8_t)(rand() >> 8);
		take(&one);
		vector_for_each (&one.rows.items, row) {
			const struct tool_shape *shape =
				one.shapes.items.items[row->shape];

			assert_true(row->first + shape->count <= one.rows.words.count);
			for (uint32_t i = 0; i < shape->count; i++)
				if (shape->fields[i].type == WIRE_FIELD_TEXT)
					assert_true(one.rows.words.items[row->first + i] <
						    one.shapes.texts.count);
		}
		tear_down(&one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(is_cut_short),
		cmocka_unit_test(is_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
