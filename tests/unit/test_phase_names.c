/* Names of phases in memory that a program and its tracer share: found again, full, and
 * as no program would write them. */
#include "wire/phase_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct wire_phase_names *names;

static int set_up(void **state)
{
	(void)state;
	names = calloc(1, sizeof(*names));
	return names ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	free(names);
	return 0;
}

static size_t name_of(unsigned int number, char text[32])
{
	return (size_t)sprintf(text, "main/step %u", number);
}

static void finds_what_was_added(void **state)
{
	char text[32];
	unsigned int count = 0;

	(void)state;
	assert_int_equal(phase_names_find(names, "", 0), 0);
	assert_true(phase_names_add(names, 4096, "", 0));
	while (phase_names_add(names, 8192 + count, text, name_of(count, text)))
		count++;
	/* As many as fit, or as rows of the index near each other allow. */
	assert_in_range(count, WIRE_PHASE_ROWS / 2, WIRE_PHASE_ROWS - 1);
	assert_int_equal(names->rows_used, count + 1);
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(phase_names_find(names, text, name_of(i, text)),
				 8192 + i);
	assert_int_equal(phase_names_find(names, text, name_of(count, text)), 0);
	assert_int_equal(phase_names_find(names, "", 0), 4096);
}

static void has_room_for_so_many_bytes(void **state)
{
	static char text[4096];
	unsigned int count = 0;

	(void)state;
	memset(text, 'x', sizeof(text));
	do
		memcpy(text, &count, sizeof(count));
	while (phase_names_add(names, 4096, text, sizeof(text)) && ++count);
	assert_int_equal(count, WIRE_PHASE_TEXTS / sizeof(text));
}

static void bears_what_others_wrote(void **state)
{
	char text[32];
	const size_t size = name_of(1, text);

	(void)state;
	assert_true(phase_names_add(names, 4096, text, size));
	names->rows[0].text = UINT32_MAX;
	assert_int_equal(phase_names_find(names, text, size), 0);
	for (size_t i = 0; i < WIRE_PHASE_INDEX; i++)
		names->index[i] = UINT32_MAX;
	assert_int_equal(phase_names_find(names, text, size), 0);
	assert_false(phase_names_add(names, 4096, "other", 5));
	names->rows_used = names->texts_used = UINT32_MAX;
	assert_false(phase_names_add(names, 4096, "other", 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_what_was_added, set_up, tear_down),
		cmocka_unit_test_setup_teardown(has_room_for_so_many_bytes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(bears_what_others_wrote, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
