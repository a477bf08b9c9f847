#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

static void test_vector_grows_and_removes(void **state)
{
	struct VECTOR(int) numbers = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		vector_push(&numbers, i);
	assert_int_equal(numbers.count, 1000);
	assert_int_equal(numbers.items[999], 999);
	vector_remove_swap(&numbers, 0);
	assert_int_equal(numbers.items[0], 999);
	assert_int_equal(numbers.count, 999);
	*vector_add(&numbers) += 0;
	assert_int_equal(numbers.items[999], 0);
	vector_deinit(&numbers);
	assert_null(numbers.items);
}

static void test_table_keeps_values_over_growth(void **state)
{
	struct table table = {0};
	uint64_t value;
	bool new;

	(void)state;
	assert_false(table_find(&table, 7, &value));
	for (uint64_t i = 0; i < 10000; i++)
		*table_insert(&table, i * 4096, &new) = i;
	for (uint64_t i = 0; i < 10000; i++) {
		assert_true(table_find(&table, i * 4096, &value));
		assert_int_equal(value, i);
	}
	assert_false(table_find(&table, 4095, NULL));
	table_insert(&table, 0, &new);
	assert_false(new);
	table_deinit(&table);
}

static void test_strings_are_kept_once(void **state)
{
	struct string_table table = {0};

	(void)state;
	assert_int_equal(string_table_intern(&table, "deflate"), 0);
	assert_int_equal(string_table_intern(&table, "inflate"), 1);
	assert_int_equal(string_table_intern(&table, "deflate"), 0);
	assert_string_equal(table.strings[1], "inflate");
	string_table_deinit(&table);
}

static void test_json_quotes_and_replaces(void **state)
{
	struct text text = {0};

	(void)state;
	text_add_json(&text, "a\"b\\c\n\x01 \xc3\xa9 \xff \xe2\x82");
	assert_string_equal(
		text.data,
		"\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9 \\ufffd \\ufffd\\ufffd\"");
	text_deinit(&text);
}

static void test_numbers_are_grouped(void **state)
{
	struct text text = {0};

	(void)state;
	text_add_grouped(&text, 0);
	text_add(&text, " ");
	text_add_grouped(&text, 999);
	text_add(&text, " ");
	text_add_grouped(&text, 18446744073709551615ull);
	assert_string_equal(text.data, "0 999 18,446,744,073,709,551,615");
	text_deinit(&text);
}

static void test_globs(void **state)
{
	(void)state;
	assert_true(text_glob("libz*", "libz.so.1"));
	assert_true(text_glob("*", "a/b::c"));
	assert_true(text_glob("f[0-9]?", "f7x"));
	assert_false(text_glob("deflate", "deflate_fast"));
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(text_distance("report", "report"), 0);
	assert_int_equal(text_distance("reprot", "report"), 2);
	assert_int_equal(text_distance("", "run"), 3);
	assert_true(text_is_near("reprot", "report"));
	assert_true(text_is_near("rn", "run"));
	assert_false(text_is_near("foo", "pbo"));
	assert_false(text_is_near("nosuch", "attach"));
	assert_false(text_is_near("", "mpi"));
}

static void test_errors_carry_reason_and_prefix(void **state)
{
	struct trm_error *error = trm_error_system(2, "cannot open \"%s\"", "x");

	(void)state;
	error = trm_error_prefix(error, "line %d", 3);
	assert_string_equal(error->message,
			    "line 3: cannot open \"x\": No such file or directory");
	assert_int_equal(error->code, TRM_ERROR_SYSTEM);
	assert_int_equal(error->system_code, 2);
	trm_error_destroy(error);
	trm_error_destroy(NULL);
}

struct grouped {
	uint32_t group, value;
};

static int by_group(const void *left, const void *right)
{
	const struct grouped *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

/* In order, nearly so, and in none, it is what qsort makes of it. */
static void test_groups_are_sorted(void **state)
{
	enum { COUNT = 500, GROUPS = 40 };
	static struct grouped rows[COUNT], wanted[COUNT];
	uint32_t number = 7;

	(void)state;
	for (uint32_t swaps = 0; swaps <= 2 * COUNT; swaps = 3 * swaps + 1) {
		for (uint32_t i = 0; i < COUNT; i++)
			rows[i] = (struct grouped){i * GROUPS / COUNT, i};
		for (uint32_t i = 0; i < swaps; i++) {
			uint32_t a = (number = number * 1664525 + 1013904223) % COUNT;
			uint32_t b = (number >> 9) % COUNT;
			struct grouped row = rows[a];

			rows[a] = rows[b];
			rows[b] = row;
		}
		memcpy(wanted, rows, sizeof(rows));
		qsort(wanted, COUNT, sizeof(*wanted), by_group);
		sort_groups(rows, COUNT, sizeof(*rows), GROUPS, by_group);
		assert_memory_equal(rows, wanted, sizeof(rows));
	}
	sort_groups(rows, 0, sizeof(*rows), GROUPS, by_group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector_grows_and_removes),
		cmocka_unit_test(test_table_keeps_values_over_growth),
		cmocka_unit_test(test_strings_are_kept_once),
		cmocka_unit_test(test_json_quotes_and_replaces),
		cmocka_unit_test(test_numbers_are_grouped),
		cmocka_unit_test(test_globs),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_errors_carry_reason_and_prefix),
		cmocka_unit_test(test_groups_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
