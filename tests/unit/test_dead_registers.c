/*
 * Where rax is dead: functions of dead.S, whose names say it, and what follows from it in
 * the C library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/scan/dead_registers.h"
#include "image/open.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

static void test_names(void **state)
{
	enum { DEAD = 12, ALIVE = 27 };
	size_t counts[2] = {0, 0};
	struct image *image;
	bool *dead;

	(void)state;
	assert_null(image_open("/proc/self/exe", NULL, &image));
	dead = dead_registers_find(image);
	for (size_t i = 0; i < image->functions.count; i++) {
		const char *name = image->names.items + image->functions.items[i].name;
		bool wanted = begins_with(name, "dead_");

		if ((!wanted && !begins_with(name, "alive_")) ||
		    !strcmp(name, "dead_registers_find"))
			continue;
		if (dead[i] != wanted)
			fail_msg("%s is not", name);
		counts[wanted]++;
	}
	assert_int_equal(counts[true], DEAD);
	assert_int_equal(counts[false], ALIVE);
	free(dead);
	image_close(image);
}

/* How many of these functions are there; all must be dead, or none. Some have more than
 * one name. */
static unsigned check(const struct image *image, const bool *dead,
		      const char *const *functions, bool wanted)
{
	unsigned found = 0;

	for (; *functions; functions++)
		for (size_t i = 0; i < image->functions.count; i++) {
			if (strcmp(image->names.items + image->functions.items[i].name,
				   *functions) != 0)
				continue;
			if (dead[i] != wanted)
				fail_msg("%s is not", *functions);
			found++;
		}
	return found;
}

/* Variadic functions look at al; most others overwrite it. */
static void test_library(void **state)
{
	static const char *const alive[] = {"printf", "fprintf", "dprintf",
					    "sscanf", "scanf",   NULL};
	static const char *const known[] = {"strtol", "fclose", "getline", "fwrite",
					    "qsort",  "fgets",  NULL};
	struct image *image;
	size_t count = 0;
	bool *dead;

	(void)state;
	assert_null(image_open("/lib/x86_64-linux-gnu/libc.so.6", NULL, &image));
	dead = dead_registers_find(image);
	assert_true(check(image, dead, alive, false) >= 2);
	assert_true(check(image, dead, known, true) >= 2);
	for (size_t i = 0; i < image->functions.count; i++)
		count += dead[i];
	print_message("%zu of %zu functions\n", count, image->functions.count);
	assert_true(count > image->functions.count / 3);
	free(dead);
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
