#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/plan/request.h"
#include "collect/collect.h"
#include "session/options/options.h"

#include <stdio.h>
#include <string.h>

static void expect_pattern(const char *text, const char *module, const char *function)
{
	struct pattern pattern = pattern_parse(text);

	assert_string_equal(pattern.module, module);
	assert_string_equal(pattern.function, function);
	assert_string_equal(pattern.text, text);
	pattern_deinit(&pattern);
}

static void test_patterns(void **state)
{
	(void)state;
	expect_pattern("deflate*", "*", "deflate*");
	expect_pattern("libz*:deflate*", "libz*", "deflate*");
	expect_pattern("libz*:", "libz*", "*");
	expect_pattern(":main", "*", "main");
	expect_pattern("libz.so.1", "libz.so.1", "*");
	expect_pattern("/usr/lib/x*", "/usr/lib/x*", "*");
	/* The colons of C++ come in pairs. */
	expect_pattern("std::vector*", "*", "std::vector*");
	expect_pattern("app:std::sort*", "app", "std::sort*");
}

static void expect_range(const char *text, uint64_t from, uint64_t to)
{
	struct pattern pattern = pattern_parse(text);

	assert_int_equal(pattern.from, from);
	assert_int_equal(pattern.to, to);
	pattern_deinit(&pattern);
}

static void test_ranges(void **state)
{
	struct session_options options = {0};

	(void)state;
	expect_range("gzip:0x3f10-0x4290", 0x3f10, 0x4290);
	expect_range("0x3f10", 0x3f10, 0x3f11);
	/* These are names. */
	expect_range("0x", 0, 0);
	expect_range("0x3f10-", 0, 0);
	expect_range("0x3f10-0x3f10", 0, 0);
	expect_range("0x3f10*", 0, 0);
	expect_range("sub_3f10", 0, 0);
	patterns_add(&options.only, "libz*:0x100-0x200");
	assert_true(options_want_module(&options, "/lib/libz.so.1"));
	assert_false(options_want_module(&options, "/bin/gzip"));
	assert_true(options_want_function(&options, "/lib/libz.so.1", NULL, "a", 0x100));
	assert_false(options_want_function(&options, "/lib/libz.so.1", NULL, "a", 0x200));
	assert_false(options_want_function(&options, "/bin/gzip", NULL, "a", 0x100));
	patterns_add(&options.skip, "0x180");
	assert_false(options_want_function(&options, "/lib/libz.so.1", NULL, "a", 0x180));
	assert_true(options_want_function(&options, "/lib/libz.so.1", NULL, "a", 0x181));
	patterns_deinit(&options.only);
	patterns_deinit(&options.skip);
}

static void test_only_and_skip(void **state)
{
	struct session_options options = {0};

	(void)state;
	assert_true(
		options_want_function(&options, "/lib/libz.so.1", NULL, "inflate", 0x10));
	vector_push(&options.only, pattern_parse("libz*:*flate"));
	assert_true(options_want_module(&options, "/lib/libz.so.1"));
	assert_false(options_want_module(&options, "/bin/gzip"));
	assert_true(
		options_want_function(&options, "/lib/libz.so.1", NULL, "inflate", 0x10));
	assert_false(
		options_want_function(&options, "/lib/libz.so.1", NULL, "crc32", 0x10));
	vector_push(&options.skip, pattern_parse("in*"));
	assert_false(
		options_want_function(&options, "/lib/libz.so.1", NULL, "inflate", 0x10));
	assert_true(
		options_want_function(&options, "/lib/libz.so.1", NULL, "deflate", 0x10));
	vector_push(&options.skip, pattern_parse("libz*:"));
	assert_false(options_want_module(&options, "/lib/libz.so.1"));
	vector_for_each (&options.only, pattern)
		pattern_deinit(pattern);
	vector_for_each (&options.skip, pattern)
		pattern_deinit(pattern);
	vector_deinit(&options.only);
	vector_deinit(&options.skip);
}

static void test_files_of_patterns(void **state)
{
	struct session_options options = {0};

	(void)state;
	assert_true(options_want_program(&options, "/usr/bin/gcc-12", "cc"));
	patterns_add_files(&options.only_programs, "cc,/opt/*");
	assert_true(options_want_program(&options, "/usr/bin/gcc-12", "cc"));
	assert_true(options_want_program(&options, "/opt/x", "y"));
	assert_false(options_want_program(&options, "/usr/bin/gcc-12", "gcc"));
	patterns_add_files(&options.skip_programs, "x");
	assert_false(options_want_program(&options, "/opt/x", "y"));
	assert_true(window_edge_is_empty(&options.window.start));
	patterns_add_files(&options.window.start.loads, "libz*");
	assert_false(window_edge_is_empty(&options.window.start));
	assert_true(patterns_have_file(&options.window.start.loads, "/lib/libz.so"));
	assert_false(patterns_have_file(&options.window.start.loads, "/lib/libc.so"));
	patterns_deinit(&options.only_programs);
	patterns_deinit(&options.skip_programs);
	window_edge_deinit(&options.window.start);
}

/* Programs are linked to a shorter name than the file's. */
static void test_versions_of_libraries(void **state)
{
	struct patterns patterns = {0};

	(void)state;
	patterns_add(&patterns, "libz.so.1");
	assert_true(patterns_have_file(&patterns, "/lib/libz.so.1.2.13"));
	assert_true(patterns_have_file(&patterns, "/lib/libz.so.1"));
	assert_false(patterns_have_file(&patterns, "/lib/libz.so"));
	assert_false(patterns_have_file(&patterns, "/lib/libz.so.12"));
	assert_false(patterns_have_file(&patterns, "/lib/libz.so.1.old"));
	patterns_deinit(&patterns);
	patterns_add(&patterns, "app:main");
	assert_false(patterns_have_file(&patterns, "/bin/app.1"));
	patterns_deinit(&patterns);
}

static void test_collectors_are_found_and_suggested(void **state)
{
	const struct collector *collector = NULL;
	struct trm_error *error;

	(void)state;
	assert_null(collector_find("coverage", &collector));
	assert_string_equal(collector->name, "coverage");
	error = collector_find("fucntions", &collector);
	assert_non_null(error);
	assert_int_equal(error->code, TRM_ERROR_USAGE);
	assert_non_null(strstr(error->message, "'functions'"));
	trm_error_destroy(error);
}

static void test_collectors_are_combined(void **state)
{
	struct collector all;
	struct trm_error *error;

	(void)state;
	assert_null(collector_combine("coverage", &all));
	assert_int_equal(all.probe, PLAN_PROBE_FLAG);
	assert_int_equal(all.slot_size, 1);
	assert_true(all.covers);
	assert_null(collector_combine("coverage,block-coverage", &all));
	assert_int_equal(all.probe, PLAN_PROBE_FLAG);
	assert_int_equal(all.depth, PLAN_BLOCKS);
	assert_true(all.covers);
	assert_null(collector_combine("functions,calls", &all));
	assert_string_equal(all.name, "functions,calls");
	assert_false(all.pbo);
	assert_int_equal(all.probe, PLAN_PROBE_COUNT);
	assert_int_equal(all.depth, PLAN_CALLS);
	assert_int_equal(all.slot_size, 8);
	assert_true(all.calls);
	assert_null(collector_combine("blocks,coverage", &all));
	assert_int_equal(all.probe, PLAN_PROBE_COUNT);
	assert_int_equal(all.depth, PLAN_EDGES);
	assert_false(all.calls);
	assert_null(collector_combine("pbo,calls,blocks", &all));
	assert_int_equal(all.depth, PLAN_EDGES);
	assert_true(all.calls && all.pbo);
	assert_null(collector_combine("calls,block-coverage", &all));
	assert_int_equal(all.probe, PLAN_PROBE_COUNT);
	assert_int_equal(all.slot_size, 8);
	assert_int_equal(all.depth, PLAN_EDGES);
	assert_false(all.covers);
	assert_null(collector_combine("blocks,block-coverage", &all));
	assert_false(all.covers);
	assert_null(collector_combine("coverage,callgraph,edges", &all));
	assert_int_equal(all.probe, PLAN_PROBE_COUNT);
	assert_int_equal(all.depth, PLAN_EDGES);
	assert_true(all.graph && !all.calls);
	assert_null(collector_combine("callgraph,calls", &all));
	assert_true(all.graph && all.calls);
	error = collector_combine("blocks,cals", &all);
	assert_non_null(strstr(error->message, "'calls'"));
	trm_error_destroy(error);
	error = collector_combine("calls,", &all);
	assert_int_equal(error->code, TRM_ERROR_USAGE);
	trm_error_destroy(error);
}

static struct trm_error *assert_refused(const char *list)
{
	struct collector all;
	struct trm_error *error = collector_combine(list, &all);

	assert_non_null(error);
	return error;
}

/* Whether all operations of a measurement are among those of all. */
static bool has_ops(const struct collector *all, const struct collector *one)
{
	for (size_t i = 0; one->ops[i]; i++) {
		size_t at = 0;

		while (all->ops[at] && all->ops[at] != one->ops[i])
			at++;
		if (!all->ops[at])
			return false;
	}
	return true;
}

/* Paths and calls by their sites or contexts need the same memory. */
static bool excludes(const struct collector *one, const struct collector *other)
{
	return one->paths && (other->calls || other->graph);
}

/* Any other two measurements can be had in one run, in either order, and neither loses.
 */
static void test_all_pairs(void **state)
{
	(void)state;
	for (const struct collector *const *one = collectors; *one; one++)
		for (const struct collector *const *other = collectors; *other; other++) {
			struct collector all;
			char list[80];

			snprintf(list, sizeof(list), "%s,%s", (*one)->name,
				 (*other)->name);
			if (excludes(*one, *other) || excludes(*other, *one)) {
				trm_error_destroy(assert_refused(list));
				continue;
			}
			assert_null(collector_combine(list, &all));
			assert_true(all.depth >= (*one)->depth);
			assert_true(all.slot_size >= (*one)->slot_size);
			assert_true(all.calls >= (*one)->calls);
			assert_true(all.graph >= (*one)->graph);
			assert_true(has_ops(&all, *one));
			assert_true(all.pbo >= (*one)->pbo);
			assert_true(all.regions >= (*one)->regions);
			assert_true(all.trace >= (*one)->trace);
			assert_true(all.mpi >= (*one)->mpi);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_only_and_skip),
		cmocka_unit_test(test_files_of_patterns),
		cmocka_unit_test(test_versions_of_libraries),
		cmocka_unit_test(test_collectors_are_found_and_suggested),
		cmocka_unit_test(test_collectors_are_combined),
		cmocka_unit_test(test_all_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
