/* The record model: attributes, the context tree, values as text. */
#include "context/channel_view.h"
#include "record/model.h"
#include "record/value.h"
#include "record/record.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static record_attribute intern(struct record_model *model, const char *name,
			       enum record_type type)
{
	record_attribute id = UINT32_MAX;

	assert_null(record_attribute_intern(model, name, type, 0, &id));
	return id;
}

static void test_attributes(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute id, same, found;

	(void)state;
	assert_null(record_attribute_intern(model, "calls", RECORD_UINT,
					    RECORD_AS_VALUE | RECORD_AGGREGATABLE, &id));
	same = intern(model, "calls", RECORD_UINT);
	assert_int_equal(id, same);
	assert_int_equal(record_attribute_count(model), 1);
	assert_int_equal(record_attribute_properties(model, id),
			 RECORD_AS_VALUE | RECORD_AGGREGATABLE);
	assert_int_equal(record_attribute_type(model, id), RECORD_UINT);
	assert_string_equal(record_attribute_name(model, id), "calls");
	assert_true(record_attribute_find(model, "calls", &found) && found == id);
	assert_false(record_attribute_find(model, "call", &found));
	for (int i = 0; i < 1000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "attribute %d", i);
		assert_int_equal(intern(model, name, RECORD_STRING), i + 1);
		assert_int_equal(intern(model, name, RECORD_STRING), i + 1);
	}
	record_model_destroy(model);
}

static void test_attribute_of_two_types(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute id = 77;

	(void)state;
	intern(model, "calls", RECORD_UINT);
	struct trm_error *error =
		record_attribute_intern(model, "calls", RECORD_STRING, 0, &id);

	assert_non_null(error);
	assert_int_equal(error->code, TRM_ERROR_USAGE);
	assert_string_equal(error->message,
			    "attribute 'calls' has the type uint, not string");
	assert_int_equal(id, 77);
	trm_error_destroy(error);
	record_model_destroy(model);
}

static void test_tree(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute module = intern(model, "module", RECORD_STRING);
	record_attribute function = intern(model, "function", RECORD_STRING);
	char text[] = "libz.so.1";
	record_node a = record_node_child(model, 0, module, record_string(text));
	record_node b = record_node_child(model, a, function, record_string(text));

	(void)state;
	text[0] = '?'; /* the value was copied */
	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, b);
	assert_int_equal(record_node_child(model, 0, module, record_string("libz.so.1")),
			 a);
	assert_int_equal(
		record_node_child(model, a, function, record_string("libz.so.1")), b);
	assert_int_not_equal(
		record_node_child(model, a, module, record_string("libz.so.1")), b);
	assert_int_equal(record_node_parent(model, b), a);
	assert_int_equal(record_node_parent(model, a), 0);
	struct record_pair pair = record_node_pair(model, b);

	assert_int_equal(pair.attribute, function);
	assert_int_equal(pair.value.type, RECORD_STRING);
	assert_int_equal(pair.value.size, 9);
	assert_string_equal(pair.value.bytes, "libz.so.1");
	assert_int_equal(record_node_count(model), 4);
	record_model_destroy(model);
}

static void test_strings_and_blobs_in_the_tree(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute blob = intern(model, "blob", RECORD_BLOB);
	struct record_value empty = {.type = RECORD_BLOB};
	struct record_value zeros = {.type = RECORD_BLOB, .size = 3, .bytes = "\0\0\1"};
	struct record_value large = {.type = RECORD_BLOB, .size = 1 << 20};
	char *bytes = malloc(large.size);

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', large.size);
	large.bytes = bytes;
	record_node a = record_node_child(model, 0, blob, empty);
	record_node b = record_node_child(model, 0, blob, zeros);
	record_node c = record_node_child(model, 0, blob, large);

	assert_true(a != b && b != c && a != c);
	memset(bytes, 'y', large.size);
	assert_int_not_equal(record_node_child(model, 0, blob, large), c);
	memset(bytes, 'x', large.size);
	assert_int_equal(record_node_child(model, 0, blob, large), c);
	assert_int_equal(record_node_pair(model, a).value.size, 0);
	assert_memory_equal(record_node_pair(model, b).value.bytes, "\0\0\1", 3);
	assert_int_equal(record_node_pair(model, c).value.bytes[(1 << 20) - 1], 'x');
	free(bytes);
	record_model_destroy(model);
}

/* A search among siblings that looks at each of them would take minutes here. */
static void test_many_siblings(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute block = intern(model, "block", RECORD_ADDRESS);
	clock_t start = clock();

	(void)state;
	for (uint64_t i = 0; i < 1000000; i++)
		assert_true(record_node_child(model, 0, block, record_address(i)) ==
			    i + 1);
	for (uint64_t i = 0; i < 1000000; i++)
		assert_true(record_node_child(model, 0, block, record_address(i)) ==
			    i + 1);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 20);
	assert_int_equal(record_node_count(model), 1000001);
	record_model_destroy(model);
}

static void test_deep_tree(void **state)
{
	struct record_model *model = record_model_create();
	record_attribute depth = intern(model, "function", RECORD_STRING);
	record_node node = 0;

	(void)state;
	for (int i = 0; i < 100000; i++)
		node = record_node_child(model, node, depth, record_string("again"));
	assert_int_equal(node, 100000);
	while (node)
		node = record_node_parent(model, node);
	record_model_destroy(model);
}

static void check_forms(struct record_value value, const char *plain, const char *json)
{
	struct text text = {0};

	record_value_text(&text, value);
	assert_string_equal(text.data, plain);
	text.length = 0;
	record_value_json(&text, value);
	assert_string_equal(text.data, json);
	text_deinit(&text);
}

static struct record_value number(double d)
{
	return (struct record_value){.type = RECORD_DOUBLE, .d = d};
}

static void test_value_forms(void **state)
{
	(void)state;
	check_forms(record_uint(UINT64_MAX), "18446744073709551615",
		    "18446744073709551615");
	check_forms((struct record_value){.type = RECORD_INT, .i = INT64_MIN},
		    "-9223372036854775808", "-9223372036854775808");
	check_forms(record_address(0x41), "0x41", "\"0x41\"");
	check_forms((struct record_value){.type = RECORD_BOOL, .u = 1}, "true", "true");
	check_forms((struct record_value){.type = RECORD_TYPE, .u = RECORD_UINT}, "uint",
		    "\"uint\"");
	check_forms((struct record_value){.type = RECORD_TYPE, .u = 99}, "unknown",
		    "\"unknown\"");
	check_forms((struct record_value){.type = RECORD_BLOB,
					  .size = 3,
					  .bytes = "\0\x7f\xff"},
		    "007fff", "\"007fff\"");
	check_forms(record_string("d\xc3\xa9"
				  "flate \"x\"\n"),
		    "d\xc3\xa9"
		    "flate \"x\"\n",
		    "\"d\xc3\xa9"
		    "flate \\\"x\\\"\\u000a\"");
	check_forms(record_string(""), "", "\"\"");
	check_forms(
		(struct record_value){.type = RECORD_STRING, .size = 3, .bytes = "a\0b"},
		"a\\x00b", "\"a\\u0000b\"");
}

static void test_doubles(void **state)
{
	static const double values[] = {0.1,    1.0 / 3, DBL_MAX,     DBL_MIN,
					5e-324, 1e22,    123456789.0, 0.30000000000000004,
					-2.5};

	(void)state;
	check_forms(number(0.1), "0.1", "0.1");
	check_forms(number(0.30000000000000004), "0.30000000000000004",
		    "0.30000000000000004");
	check_forms(number(100), "100", "100");
	check_forms(number(NAN), "nan", "\"nan\"");
	check_forms(number(-INFINITY), "-inf", "\"-inf\"");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct text text = {0};

		record_value_text(&text, number(values[i]));
		assert_true(strtod(text.data, NULL) == values[i]);
		text_deinit(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_attribute_of_two_types),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_strings_and_blobs_in_the_tree),
		cmocka_unit_test(test_many_siblings),
		cmocka_unit_test(test_deep_tree),
		cmocka_unit_test(test_value_forms),
		cmocka_unit_test(test_doubles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
