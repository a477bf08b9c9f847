/* `trammel annotate`: profiles are made here of functions of this program, in
 * annotated.S, whose blocks are known. */
#include "annotate/annotation.h"

#include "profile_maker.h"
#include "run_command.h"
#include "record/value.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int annotated(int number);
int annotated_helper(void);
int nested(int outer, int inner);
int annotated_odd(int number);

#define BLOCK(...) ((const uint64_t[]){__VA_ARGS__})

static uint64_t start; /* of annotated */

/* Called 10 times, 10 times through the second return. `size` is that of the first
 * block, of 4 bytes. */
static void write_profile(uint64_t size, bool same_build)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t odd = address_of("annotated_odd");

	add_global(&maker, "run.measure", record_string("blocks"));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, self.path, 1, "exited 0", NULL);
		add_self(&maker, self.path, 100, same_build);
		add_calls(&maker, self.path, "annotated", start, 5);
		add_block(&maker, self.path, "annotated", start,
			  BLOCK(start, size, 2, 5));
		add_block(&maker, self.path, "annotated", start,
			  BLOCK(start + 10, 11, 3, 5));
	}
	add_calls(&maker, self.path, "annotated_odd", odd, 1);
	add_calls(&maker, self.path, "space::same(int)", 0x10, 1);
	add_calls(&maker, self.path, "space::same(char)", 0x20, 1);
	add_calls(&maker, "/nowhere/gone.so", "lost", 0x100, 1);
	end_profile(&maker);
}

static void check_text(const char *words)
{
	uint64_t helper = address_of("annotated_helper");
	char expected[PATH_MAX + 1024];

	snprintf(expected, sizeof(expected),
		 "annotated\n"
		 "  %s, 0x%" PRIx64 ", 21 bytes\n"
		 "  10 calls, 50 instructions (100.0 %% of all)\n"
		 "  10 loads (80 bytes), 10 stores (80 bytes)\n"
		 "\n"
		 "  Count   Share  Address  Instruction\n"
		 "     10  40.0 %%  %7" PRIx64 "  test   %%edi,%%edi\n"
		 "                 %7" PRIx64 "  je     %" PRIx64 "  <+0xa>\n"
		 "      0          %7" PRIx64 "  mov    $0x7,%%eax\n"
		 "                 %7" PRIx64 "  ret\n"
		 "     10  60.0 %%  %7" PRIx64 "  mov    $0x9,%%eax\n"
		 "                 %7" PRIx64 "  call   %" PRIx64 "  <annotated_helper>\n"
		 "                 %7" PRIx64 "  ret\n",
		 self.path, start, start, start + 2, start + 10, start + 4, start + 9,
		 start + 10, start + 15, helper, start + 20);
	check_command(&cmd_annotate, words, 0, expected, "");
}

static void test_listing(void **state)
{
	char words[64];

	(void)state;
	write_profile(4, true);
	check_text("a.trm annotated");
	snprintf(words, sizeof(words), "a.trm 0x%" PRIx64, start);
	check_text(words);
}

/* Two images with edges: the branch has both ways, in the listing and in the graph. */
static void test_edges(void **state)
{
	struct maker maker = begin_profile("a.trm", false);
	char *output, *errors;

	(void)state;
	add_global(&maker, "run.measure", record_string("edges"));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, self.path, 1, "exited 0", NULL);
		add_self(&maker, self.path, self.image->functions.count, true);
		add_calls(&maker, self.path, "annotated", start, 5);
		add_block(&maker, self.path, "annotated", start, BLOCK(start, 4, 2, 5));
		add_block(&maker, self.path, "annotated", start,
			  BLOCK(start + 10, 11, 3, 3));
		add_edge(&maker, self.path, "annotated", start, "jump",
			 BLOCK(start + 2, start, start + 10, 3));
		add_edge(&maker, self.path, "annotated", start, "next",
			 BLOCK(start + 2, start, start + 4, 2));
	}
	end_profile(&maker);
	assert_int_equal(run_command(&cmd_annotate, "a.trm annotated", &output, &errors),
			 0);
	assert_non_null(strstr(output, "<+0xa>"));
	assert_non_null(strstr(output, "  taken 6 of 10 (60.0 %)\n"));
	free(output);
	free(errors);
	assert_int_equal(
		run_command(&cmd_annotate, "--json a.trm annotated", &output, &errors),
		0);
	assert_non_null(strstr(output, "\"edges\": [{\"edge.kind\": \"next\", "));
	assert_non_null(strstr(output, "\"count\": 6}], \"code\": ["));
	free(output);
	free(errors);
}

static void test_one_process(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile(4, true);
	assert_int_equal(run_command(&cmd_annotate,
				     "--process 2 --syntax=intel a.trm annotated",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "  5 calls, 25 instructions (100.0 % of all)\n"));
	assert_non_null(strstr(output, "  test edi, edi\n"));
	free(output);
	free(errors);
}

/* Blocks that the graph does not have are those of another version: they are shown as
 * they were measured. */
static void test_other_blocks(void **state)
{
	char *output, *errors, line[64];

	(void)state;
	write_profile(2, true);
	assert_int_equal(run_command(&cmd_annotate, "a.trm annotated", &output, &errors),
			 0);
	snprintf(line, sizeof(line), "\n      0          %7" PRIx64 "  je ", start + 2);
	assert_non_null(strstr(output, line));
	snprintf(line, sizeof(line), "\n     10  60.0 %%  %7" PRIx64 "  mov ",
		 start + 10);
	assert_non_null(strstr(output, line));
	free(output);
	free(errors);
}

static void test_without_counts(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile(4, true);
	assert_int_equal(
		run_command(&cmd_annotate, "a.trm annotated_odd", &output, &errors), 0);
	assert_non_null(strstr(output, "  1 call, without counts of blocks\n"));
	assert_non_null(strstr(output, "  jmp    *%rax\n"));
	assert_null(strstr(output, "      0  "));
	free(output);
	free(errors);
}

static void test_source(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile(4, true);
	assert_int_equal(
		run_command(&cmd_annotate, "-s a.trm annotated", &output, &errors), 0);
	assert_string_equal(errors, "");
	assert_non_null(strstr(output, "  annotated.S:6   test %edi, %edi\n"));
	assert_non_null(strstr(output, "  annotated.S:11  "));
	free(output);
	free(errors);
}

/* Called twice, 5 rounds of 7 each. */
static void test_loops(void **state)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t nested_at = address_of("nested");
	char *output, *errors, expected[512];

	(void)state;
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	add_calls(&maker, self.path, "nested", nested_at, 2);
	add_block(&maker, self.path, "nested", nested_at, BLOCK(nested_at, 2, 1, 2));
	add_block(&maker, self.path, "nested", nested_at, BLOCK(nested_at + 2, 2, 1, 10));
	add_block(&maker, self.path, "nested", nested_at, BLOCK(nested_at + 4, 4, 2, 70));
	add_block(&maker, self.path, "nested", nested_at, BLOCK(nested_at + 8, 9, 3, 10));
	add_block(&maker, self.path, "nested", nested_at, BLOCK(nested_at + 17, 1, 1, 2));
	end_profile(&maker);
	assert_int_equal(run_command(&cmd_annotate, "a.trm nested", &output, &errors), 0);
	snprintf(expected, sizeof(expected),
		 "                 %7s  loop: 2 entries, 10 iterations (5.0 each), 97.8 "
		 "%%\n"
		 "     10   5.4 %%  %7" PRIx64 "  mov    %%esi,%%ecx\n"
		 "                 %7s  loop in 1: 10 entries, 70 iterations (7.0 each), "
		 "76.1 %%\n",
		 "", nested_at + 2, "");
	if (!strstr(output, expected))
		fail_msg("not in it: %s\n%s", expected, output);
	free(output);
	free(errors);
	assert_int_equal(
		run_command(&cmd_annotate, "--json a.trm nested", &output, &errors), 0);
	snprintf(expected, sizeof(expected),
		 "\"loops\": [\n  {\"header\": \"0x%" PRIx64
		 "\", \"depth\": 1, \"blocks\": 3, \"entries\": 2, ",
		 nested_at + 2);
	assert_non_null(strstr(output, expected));
	free(output);
	free(errors);
}

static void test_json(void **state)
{
	char *output, *errors, block[512];

	(void)state;
	write_profile(4, true);
	assert_int_equal(
		run_command(&cmd_annotate, "--json -s a.trm annotated", &output, &errors),
		0);
	snprintf(block, sizeof(block),
		 "  {\"block\": \"0x%" PRIx64
		 "\", \"block.size\": 6, \"block.instructions\": 2, \"count\": 0, "
		 "\"loads\": 0, \"load.bytes\": 0, \"stores\": 0, \"store.bytes\": 0, "
		 "\"repeated\": 0, "
		 "\"code\": [\n"
		 "    {\"address\": \"0x%" PRIx64 "\", \"text\": \"mov    $0x7,%%eax\", "
		 "\"file\": \"",
		 start + 4, start + 4);
	assert_non_null(strstr(output, block));
	assert_non_null(strstr(output, "/annotated.S\", \"line\": 8},\n"));
	assert_non_null(strstr(output, "\"size\": 21, \"calls\": 10, "
				       "\"instructions\": 50,\n\"blocks\": ["));
	assert_non_null(strstr(output, "\"target\": \"annotated_helper\""));
	free(output);
	free(errors);
}

static void test_refused(void **state)
{
	char expected[2 * PATH_MAX + 256];

	(void)state;
	write_profile(4, true);
	check_command(&cmd_annotate, "a.trm annotatd", 2, "",
		      "trammel: no function 'annotatd' was executed: did you mean "
		      "'annotated'?\n");
	check_command(&cmd_annotate, "a.trm something_else_altogether", 2, "",
		      "trammel: no function 'something_else_altogether' was executed: "
		      "trammel report --all shows those that were\n");
	snprintf(
		expected, sizeof(expected),
		"  0x10        %s  space::same(int)\n"
		"  0x20        %s  space::same(char)\n"
		"trammel: 'space::same' means 2 functions: choose one by its address and "
		"--module\n",
		self.path, self.path);
	check_command(&cmd_annotate, "a.trm space::same", 2, "", expected);
	snprintf(expected, sizeof(expected),
		 "trammel: '%s' has no function at 0x10 now: measure again\n", self.path);
	check_command(&cmd_annotate, "a.trm space::same(int)", 4, "", expected);
	check_command(&cmd_annotate, "a.trm lost", 4, "",
		      "trammel: cannot read '/nowhere/gone.so': No such file or "
		      "directory\n");
	check_command(&cmd_annotate, "a.trm", 2, "",
		      "trammel: a profile and a function are needed: trammel annotate "
		      "FILE FUNCTION\n");
	check_command(&cmd_annotate, "--syntax=masm a.trm annotated", 2, "",
		      "trammel: --syntax 'masm' is unknown: choose att or intel\n");
	check_command(&cmd_annotate, "--module nix a.trm annotated", 2, "",
		      "trammel: no module 'nix' in this profile: --by module shows those "
		      "that are\n");
	write_profile(4, false);
	snprintf(expected, sizeof(expected),
		 "trammel: '%s' is another build than the one that was measured: put "
		 "that one back, or measure again\n",
		 self.path);
	check_command(&cmd_annotate, "a.trm annotated", 4, "", expected);

	struct maker maker = begin_profile("a.trm", false);

	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_calls(&maker, self.path, "annotated", start, 5);
	end_profile(&maker);
	check_command(&cmd_annotate, "a.trm annotated", 2, "",
		      "trammel: no counts of blocks in 'a.trm': measure with trammel run "
		      "-m blocks\n");
}

static int begin(void **state)
{
	int failed = enter_folder_with_self(state);

	if (!failed)
		start = address_of("annotated");
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listing),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_one_process),
		cmocka_unit_test(test_other_blocks),
		cmocka_unit_test(test_without_counts),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_refused),
	};

	if (annotated(1) != 7 || annotated(0) != 3 || annotated_odd(1) ||
	    nested(5, 7) != 3)
		return 1;
	return cmocka_run_group_tests(tests, begin, leave_folder);
}
