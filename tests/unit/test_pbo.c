/* `trammel pbo`: branches of functions in annotated.S and nested.S, and samples of
 * functions of this file, one of which is put into another. */

#include "cli/pbo.h"
#include "image/find.h"
#include "record/value.h"

#include "image/inlines.h"
#include "image/unique.h"
#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

int annotated_loop(int number);
int nested(int outer, int inner);
unsigned pbo_outer(unsigned number);

enum { INNER_LINE = __LINE__ + 3 };

/* Without signs: sanitizers put branches behind additions of numbers that have one. */
static inline __attribute__((always_inline)) unsigned pbo_inner(unsigned number)
{
	return number * 29 + 1;
}

enum { OUTER_LINE = __LINE__ + 2 };

__attribute__((noinline)) unsigned pbo_outer(unsigned number)
{
	return pbo_inner(number) ^ 5;
}

/* The loop called 3 times, with 50 rounds; the nested one called 2 times, with 5 rounds
 * of 7 each; and all of a function as one block, 7 times. */
static void write_functions(void)
{
	struct maker maker = begin_profile("a.trm", false);
	size_t outer = image_function_at(self.image, address_of("pbo_outer"));

	add_global(&maker, "run.measure", record_string("blocks"));
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	add_own_loops(&maker);
	add_calls(&maker, self.path, "pbo_outer", address_of("pbo_outer"), 7);
	add_own_block(&maker, "pbo_outer",
		      BLOCK(0, self.image->functions.items[outer].size, 2, 7));
	/* By pointers: known in full, and in part. */
	add_arc(&maker, self.path, "pbo_outer", address_of("pbo_outer"),
		(const char *const[]){self.path, "annotated_loop", "indirect"},
		(const uint64_t[]){address_of("annotated_loop"),
				   address_of("annotated_loop") + 10, 6});
	add_arc(&maker, self.path, "nested", address_of("nested"),
		(const char *const[]){self.path, "pbo_outer", "indirect"},
		(const uint64_t[]){address_of("pbo_outer"),
				   address_of("pbo_outer") +
					   self.image->functions.items[outer].size - 1,
				   2});
	/* Its block has it already. */
	add_arc(&maker, self.path, "nested", address_of("nested"),
		(const char *const[]){self.path, "annotated_loop", "direct"},
		(const uint64_t[]){address_of("annotated_loop"),
				   address_of("annotated_loop") + 10, 4});
	end_profile(&maker);
}

/* The back branch of the outer loop is behind a call: it is what must come back. */
static void test_fdata(void **state)
{
	static const char *const lines[] = {
		"1 annotated_loop 0 1 annotated_loop 2 0 3\n",
		"1 annotated_loop 6 1 annotated_loop a 0 30\n",
		"1 annotated_loop 6 1 annotated_loop 8 0 20\n",
		"1 annotated_loop 8 1 annotated_loop a 0 20\n",
		"1 annotated_loop c 1 annotated_loop 2 0 47\n",
		"1 annotated_loop c 1 annotated_loop e 0 3\n",
		"0 [unknown] 0 1 annotated_loop 0 0 3\n",
		"1 nested 6 1 nested 4 0 60\n",
		"1 nested 6 1 nested 8 0 10\n",
		"1 nested f 1 nested 2 0 8\n",
		"1 nested f 1 nested 11 0 2\n",
		"1 nested 8 1 nested_helper/1 0 0 10\n",
		"1 annotated_loop a 1 pbo_outer 0 0 6\n",
		"0 [unknown] 0 1 pbo_outer 0 0 1\n",
	};
	char *output, *errors;

	(void)state;
	write_functions();
	assert_int_equal(run_command(&cmd_pbo, "--fdata a.trm", &output, &errors), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(output, lines[i]))
			fail_msg("no line %s in %s", lines[i], output);
	assert_null(strstr(output, " 1 nested 0 0 4\n"));
	assert_null(strstr(output, "[unknown] 0 1 nested 0 "));
	assert_non_null(strstr(errors, "trammel: functions written: "));
	free(output);
	free(errors);
}

/* Lines of a function are counted from its own first one on. */
static void test_autofdo(void **state)
{
	char *output, *errors;

	(void)state;
	write_functions();
	assert_int_equal(
		run_command(&cmd_pbo, "--autofdo -o a.afdo a.trm", &output, &errors), 0);
	assert_string_equal(output, "");
	/* Assembly has lines, but no functions. */
	assert_string_equal(errors, "trammel: functions written: 1; left out, without "
				    "debug information: 2\n");
	free(output);
	free(errors);
	output = read_text("a.afdo");
	const char *outer = strstr(output, "pbo_outer:");

	assert_non_null(outer);
	assert_non_null(strstr(outer, ":7\n"));
	/* Compilers do not agree which line a return is of, whose call follows there. */
	assert_non_null(strstr(outer, "\n 2: 7"));
	const char *inner = strstr(outer, " 2: pbo_inner:");

	assert_non_null(inner);
	assert_non_null(strstr(inner, "\n  2: 7\n"));
	assert_non_null(strstr(outer, " nested:2\n"));
	assert_null(strstr(output, "annotated_loop:"));
	free(output);
}

static void test_inlines(void **state)
{
	uint64_t address = address_of("pbo_outer");
	struct image_inlines inlines;
	struct image_site site;
	bool seen = false;

	(void)state;
	assert_null(image_inlines_init(&inlines, self.image));
	uint32_t scope = image_scope_at(&inlines, address, &site);

	/* What was put into it may come first. */
	assert_true(scope != INLINES_NONE);
	if (inlines.scopes.items[scope].parent != INLINES_NONE)
		scope = inlines.scopes.items[scope].parent;
	assert_string_equal(inlines.names.strings[inlines.scopes.items[scope].name],
			    "pbo_outer");
	assert_int_equal(inlines.scopes.items[scope].line, OUTER_LINE);
	assert_int_equal(inlines.scopes.items[scope].parent, INLINES_NONE);
	vector_for_each (&inlines.parts, part) {
		const struct image_scope *in = &inlines.scopes.items[part->scope];

		assert_true(part->start < part->end);
		assert_true(part + 1 == inlines.parts.items + inlines.parts.count ||
			    part->end <= part[1].start);
		if (in->parent != scope)
			continue;
		seen = true;
		assert_string_equal(inlines.names.strings[in->name], "pbo_inner");
		assert_int_equal(in->line, INNER_LINE);
		assert_int_equal(in->call.line, OUTER_LINE + 2);
	}
	assert_true(seen);
	assert_int_equal(image_scope_at(&inlines, 1, &site), INLINES_NONE);
	image_inlines_deinit(&inlines);
}

static void test_unique(void **state)
{
	struct image_uniques uniques;

	(void)state;
	assert_null(image_uniques_init(&uniques, self.image));
	const struct image_unique *global =
		image_unique_at(&uniques, address_of("pbo_outer"));
	const struct image_unique *local =
		image_unique_at(&uniques, address_of("nested_helper"));

	assert_non_null(global);
	assert_string_equal(global->name, "pbo_outer");
	assert_int_equal(global->number, 0);
	assert_non_null(local);
	assert_string_equal(local->name, "nested_helper");
	assert_int_equal(local->number, 1);
	assert_null(image_unique_at(&uniques, address_of("pbo_outer") + 1));
	assert_ptr_equal(image_unique_around(&uniques, address_of("pbo_outer") + 1),
			 global);
	assert_ptr_equal(image_unique_around(&uniques, address_of("pbo_outer")), global);
	assert_null(image_unique_around(&uniques, UINT64_MAX));
	vector_deinit(&uniques);
}

static void test_beside(void **state)
{
	char *beside, *written, *output, *errors;

	(void)state;
	write_functions();
	pbo_write_beside("a.trm", true);
	beside = read_text("a.fdata");
	assert_int_equal(
		run_command(&cmd_pbo, "--fdata -o b.fdata a.trm", &output, &errors), 0);
	written = read_text("b.fdata");
	assert_non_null(strstr(beside, "1 nested 6 1 nested 4 0 60\n"));
	assert_string_equal(beside, written);
	free(beside);
	free(written);
	free(output);
	free(errors);
	beside = read_text("a.afdo");
	assert_non_null(strstr(beside, "pbo_outer:"));
	free(beside);
	/* What cannot be read again is left alone. */
	pbo_write_beside("/dev/null", false);
}

static void test_refused(void **state)
{
	(void)state;
	write_functions();
	check_command(&cmd_pbo, "a.trm", 2, "",
		      "trammel: choose one format: --fdata or --autofdo\n");
	check_command(&cmd_pbo, "--fdata --autofdo a.trm", 2, "",
		      "trammel: choose one format: --fdata or --autofdo\n");
	check_command(
		&cmd_pbo, "--fdata", 2, "",
		"trammel: one profile is written, not 0: trammel pbo --fdata FILE\n");
	check_command(&cmd_pbo, "--fdata --module nix a.trm", 2, "",
		      "trammel: no module 'nix' in this profile: --by module shows those "
		      "that are\n");

	struct maker maker = begin_profile("a.trm", false);

	add_image(&maker, 1, "/bin/other", 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	add_calls(&maker, self.path, "nested", address_of("nested"), 2);
	add_own_block(&maker, "nested", BLOCK(0, 2, 1, 2));
	end_profile(&maker);
	check_command(&cmd_pbo, "--fdata a.trm", 2, "",
		      "trammel: no blocks of the program itself were counted: choose a "
		      "module with --module\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fdata),   cmocka_unit_test(test_autofdo),
		cmocka_unit_test(test_inlines), cmocka_unit_test(test_unique),
		cmocka_unit_test(test_beside),  cmocka_unit_test(test_refused),
	};

	if (annotated_loop(5) != 7 || nested(5, 7) != 3 || pbo_outer(1) != 27)
		return 1;
	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
