/* `trammel coverage`: profiles are made here of functions of this program, in covered.c.
 */
#include "record/value.h"
#include "coverage/coverage.h"
#include "image/image.h"

#include "profile_maker.h"
#include "run_command.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GONE "/nowhere/gone.so"

int covered_called(int number);
int covered_missed(int number);
int covered_skipped(int number);
int annotated(int number);
int places_folded(void); /* in folded.S */

/* What the profiles of the tests differ in. */
struct setting {
	const char *measure; /* NULL: functions */
	const char *only;    /* NULL: nothing is left out */
	uint64_t more_known; /* functions that the file lacks now */
	bool other_build;
	bool released; /* a process ran unmeasured */
};

/* Two processes called a function, one could not be instrumented; and a module is gone.
 */
static void write_profile(struct setting setting)
{
	struct maker maker = begin_profile("a.trm", false);

	add_global(&maker, "run.command", record_string("self"));
	add_global(&maker, "run.measure",
		   record_string(setting.measure ? setting.measure : "functions"));
	if (setting.only)
		add_global(&maker, "run.only", record_string(setting.only));
	for (uint64_t process = 10; process < 12; process++) {
		add_image(&maker, process, self.path, 1, "exited 0", NULL);
		add_self(&maker, self.path,
			 self.image->functions.count + setting.more_known,
			 !setting.other_build);
		add_calls(&maker, self.path, "covered_called",
			  address_of("covered_called"), setting.measure ? 1 : process);
	}
	if (setting.released)
		add_image(&maker, 12, "/usr/bin/sudo", 1, "released", "set-uid program");
	add_skip(&maker, self.path, "covered_skipped", address_of("covered_skipped"),
		 "no room");
	add_calls(&maker, GONE, "lost", 0x100, 1);
	end_profile(&maker);
}

/* Runs the command; `output` must be what it prints, but for the folder of covered.c. */
static void check_coverage(const char *words, const char *output, const char *errors)
{
	char *got_output, *got_errors, *path;

	assert_int_equal(run_command(&cmd_coverage, words, &got_output, &got_errors), 0);
	path = strstr(got_output, "/covered.c");
	while (path) {
		char *start = path;

		while (start > got_output && !strchr(" :\"", start[-1]))
			start--;
		memmove(start, path + 1, strlen(path));
		path = strstr(start, "/covered.c");
	}
	assert_string_equal(got_output, output);
	assert_string_equal(got_errors, errors);
	free(got_output);
	free(got_errors);
}

#define GONE_WARNING                                                                     \
	"trammel: warning: no source lines of '" GONE "': No such file or directory\n"

static void test_lcov(void **state)
{
	(void)state;
	write_profile((struct setting){0});
	check_coverage("--lcov --source */covered.c a.trm",
		       "TN:\n"
		       "SF:covered.c\n"
		       "FN:6,covered_called\n"
		       "FN:11,covered_missed\n"
		       "FNDA:21,covered_called\n"
		       "FNDA:0,covered_missed\n"
		       "FNF:2\n"
		       "FNH:1\n"
		       "DA:6,21\n"
		       "DA:11,0\n"
		       "LF:2\n"
		       "LH:1\n"
		       "end_of_record\n",
		       GONE_WARNING);
	/* One process of the two. */
	char *output, *errors;

	assert_int_equal(run_command(&cmd_coverage,
				     "--lcov --process 11 --source */covered.c a.trm",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "\nFNDA:11,covered_called\n"));
	free(output);
	free(errors);
}

static void test_lcov_of_coverage(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile((struct setting){.measure = "coverage"});
	assert_int_equal(run_command(&cmd_coverage, "--lcov --source */covered.c a.trm",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "\nFNDA:1,covered_called\n"));
	assert_non_null(strstr(output, "\nFNDA:0,covered_missed\n"));
	assert_non_null(strstr(output, "\nDA:6,1\nDA:11,0\n"));
	free(output);
	free(errors);
}

/* lcov cannot read sums of larger numbers that it writes. */
static void test_large_counts(void **state)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t start = address_of("covered_called");
	char *output, *errors;

	(void)state;
	add_global(&maker, "run.measure", record_string("functions"));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, self.path, 1, "exited 0", NULL);
		add_self(&maker, self.path, self.image->functions.count, true);
		add_calls(&maker, self.path, "covered_called", start, INT64_MAX);
	}
	end_profile(&maker);
	assert_int_equal(run_command(&cmd_coverage, "--lcov --source */covered.c a.trm",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "\nFNDA:9223372036854775807,covered_called\n"));
	assert_non_null(strstr(output, "\nDA:6,9223372036854775807\n"));
	free(output);
	free(errors);
}

/* One function has counts of blocks, one was executed without, and two were not executed.
 * Two processes add up. */
static void write_blocks(void)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t start = address_of("annotated");

	add_global(&maker, "run.command", record_string("self"));
	add_global(&maker, "run.measure", record_string("blocks"));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, self.path, 1, "exited 0", NULL);
		add_self(&maker, self.path, self.image->functions.count, true);
		add_calls(&maker, self.path, "annotated", start, 5);
		add_block(&maker, self.path, "annotated", start,
			  (const uint64_t[]){start, 4, 2, 5});
		add_block(&maker, self.path, "annotated", start,
			  (const uint64_t[]){start + 10, 11, 3, 4});
		add_calls(&maker, self.path, "annotated_odd", address_of("annotated_odd"),
			  1);
	}
	end_profile(&maker);
}

/* One edge of two is taken; a block with one way out has no branch. */
static void test_branches(void **state)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t start = address_of("annotated");
	char *output, *errors;

	(void)state;
	add_global(&maker, "run.measure", record_string("edges"));
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, self.image->functions.count, true);
	add_calls(&maker, self.path, "annotated", start, 5);
	add_block(&maker, self.path, "annotated", start,
		  (const uint64_t[]){start, 4, 2, 5});
	add_block(&maker, self.path, "annotated", start,
		  (const uint64_t[]){start + 10, 11, 3, 5});
	add_edge(&maker, self.path, "annotated", start, "jump",
		 (const uint64_t[]){start + 2, start, start + 10, 5});
	add_edge(&maker, self.path, "annotated", start, "next",
		 (const uint64_t[]){start + 2, start, start + 4, 0});
	add_edge(&maker, self.path, "annotated", start, "leave",
		 (const uint64_t[]){start + 20, start + 10, 0, 5});
	end_profile(&maker);
	assert_int_equal(run_command(&cmd_coverage, "--lcov --source */annotated.S a.trm",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "FNH:1\n"
				       "BRDA:7,0,0,0\n"
				       "BRDA:7,0,1,5\n"
				       "BRF:2\n"
				       "BRH:1\n"
				       "DA:6,5\n"));
	free(output);
	free(errors);
	assert_int_equal(run_command(&cmd_coverage, "--json --source */annotated.S a.trm",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "\"branches.known\": 2, \"branches.taken\": 1"));
	free(output);
	free(errors);
}

static void test_lines(void **state)
{
	char *output, *errors;

	(void)state;
	write_blocks();
	assert_int_equal(run_command(&cmd_coverage, "--lcov --source */annotated.S a.trm",
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "/annotated.S\n"
				       "FN:6,annotated\n"
				       "FN:18,annotated_helper\n"
				       "FN:26,annotated_loop\n"
				       "FN:39,annotated_call\n"
				       "FN:48,annotated_odd\n"
				       "FNDA:10,annotated\n"
				       "FNDA:0,annotated_helper\n"
				       "FNDA:0,annotated_loop\n"
				       "FNDA:0,annotated_call\n"
				       "FNDA:2,annotated_odd\n"
				       "FNF:5\n"
				       "FNH:2\n"
				       "DA:6,10\n"
				       "DA:7,10\n"
				       "DA:8,0\n"
				       "DA:9,0\n"
				       "DA:10,8\n"
				       "DA:11,8\n"
				       "DA:12,8\n"
				       "DA:18,0\n"
				       "DA:19,0\n"
				       "DA:26,0\n"
				       "DA:27,0\n"
				       "DA:28,0\n"
				       "DA:29,0\n"
				       "DA:30,0\n"
				       "DA:31,0\n"
				       "DA:32,0\n"
				       "DA:39,0\n"
				       "DA:40,0\n"
				       "DA:41,0\n"
				       "DA:48,2\n"
				       "LF:20\n"
				       "LH:6\n"
				       "end_of_record\n"));
	assert_string_equal(errors, "");
	free(output);
	free(errors);
}

/* Code that a linker folded is of the lines of all its functions. */
static void test_folded_lines(void **state)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t start = address_of("places_folded");
	char *output, *errors;

	(void)state;
	add_global(&maker, "run.command", record_string("self"));
	add_global(&maker, "run.measure", record_string("blocks"));
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, self.image->functions.count, true);
	add_calls(&maker, self.path, "places_folded", start, 7);
	add_block(&maker, self.path, "places_folded", start,
		  (const uint64_t[]){start, 6, 2, 7});
	end_profile(&maker);
	assert_int_equal(run_command(&cmd_coverage,
				     "--lcov --keep-missing --source */folded.c a.trm",
				     &output, &errors),
			 0);
	assert_string_equal(output, "TN:\n"
				    "SF:/folder/folded.c\n"
				    "FN:44,places_folded\n"
				    "FNDA:7,places_folded\n"
				    "FNF:1\n"
				    "FNH:1\n"
				    "DA:34,7\n"
				    "DA:35,7\n"
				    "DA:45,7\n"
				    "DA:46,7\n"
				    "LF:4\n"
				    "LH:4\n"
				    "end_of_record\n");
	free(output);
	free(errors);
}

static void test_lines_shown(void **state)
{
	static const struct {
		const char *words, *part;
	} cases[] = {
		{"--source */annotated.S a.trm",
		 "\n  Executed  Known    Part  Lines  Known    Part  Source file\n"
		 "         2      5  40.0 %      6     20  30.0 %  "},
		{"--source */annotated.S a.trm", "  Part  Blocks  Module\n"},
		{"--source */annotated.S a.trm", " %       2  test_coverage\n"},
		{"--json --source */annotated.S a.trm",
		 "/annotated.S\", \"line\": 11, \"count\": 8},\n"},
		{"--json --source */annotated.S a.trm",
		 "\"functions.executed\": 2, \"lines.known\": 20, \"lines.executed\": 6, "
		 "\"complete\": true}"},
		{"--json a.trm", "\"functions.executed\": 2, \"blocks.executed\": 2, "},
	};

	(void)state;
	write_blocks();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *output, *errors;

		assert_int_equal(
			run_command(&cmd_coverage, cases[i].words, &output, &errors), 0);
		if (!strstr(output, cases[i].part))
			fail_msg("no %s in %s", cases[i].part, output);
		free(output);
		free(errors);
	}
}

/* What was not to be measured is not missing. */
static void test_only(void **state)
{
	(void)state;
	write_profile((struct setting){.only = "covered_c*,other"});
	check_coverage("--lcov --source */covered.c a.trm",
		       "TN:\n"
		       "SF:covered.c\n"
		       "FN:6,covered_called\n"
		       "FNDA:21,covered_called\n"
		       "FNF:1\n"
		       "FNH:1\n"
		       "DA:6,21\n"
		       "LF:1\n"
		       "LH:1\n"
		       "end_of_record\n",
		       GONE_WARNING);
}

static void test_text(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile((struct setting){0});
	check_coverage("--functions --source */covered.c --module test_coverage a.trm",
		       "self\n"
		       "  exit unknown, 2 processes, 2 threads\n"
		       "\n"
		       "  Calls  Module         Function        Source\n"
		       "     21  test_coverage  covered_called  covered.c:6\n"
		       "      0  test_coverage  covered_missed  covered.c:11\n",
		       "");
	check_coverage("-f --missed --source */covered.c --module test_coverage a.trm",
		       "self\n"
		       "  exit unknown, 2 processes, 2 threads\n"
		       "\n"
		       "  Calls  Module         Function        Source\n"
		       "      0  test_coverage  covered_missed  covered.c:11\n",
		       "");
	check_coverage("--module *gone.so a.trm",
		       "self\n"
		       "  exit unknown, 2 processes, 2 threads\n"
		       "\n"
		       "  Executed  Known  Part  Module\n"
		       "         1      0        gone.so\n"
		       "\n"
		       "No source lines: " GONE ": No such file or directory\n",
		       "");
	check_coverage("--functions --module *gone.so a.trm",
		       "self\n"
		       "  exit unknown, 2 processes, 2 threads\n"
		       "\n"
		       "  Calls  Module   Function  Source\n"
		       "      1  gone.so  lost      \n"
		       "\n"
		       "No source lines: " GONE ": No such file or directory\n",
		       "");
	assert_int_equal(run_command(&cmd_coverage, "--source */covered.c a.trm", &output,
				     &errors),
			 0);
	assert_non_null(strstr(output, "\n"
				       "\n"
				       "  Executed  Known    Part  Source file\n"
				       "         1      2  50.0 %  "));
	assert_non_null(strstr(output, "/covered.c\n\nNo source lines: " GONE ": "));
	assert_string_equal(errors, "");
	free(output);
	free(errors);
}

#define JSON_SELF "\"module\": \"test_coverage\", \"module.path\": \""

static void test_json(void **state)
{
	char *output, *errors, expected[PATH_MAX + 256];

	(void)state;
	write_profile((struct setting){0});
	assert_int_equal(run_command(&cmd_coverage, "--json --source */covered.c a.trm",
				     &output, &errors),
			 0);
	assert_string_equal(errors, "");
	snprintf(expected, sizeof(expected),
		 "  {" JSON_SELF "%s\", \"function\": \"covered_missed\", \"offset\": "
		 "\"0x%lx\", \"file\": \"",
		 self.path, address_of("covered_missed"));
	assert_non_null(strstr(output, expected));
	assert_non_null(strstr(output, "/covered.c\", \"line\": 11, \"calls\": 0}]}\n"));
	assert_non_null(strstr(output, "/covered.c\", \"line\": 6, \"calls\": 21},\n"));
	assert_non_null(strstr(output, "/covered.c\", \"functions.known\": 2, "
				       "\"functions.executed\": 1, \"complete\": "
				       "true}],\n"));
	assert_non_null(strstr(output, "\"functions.executed\": 1, \"complete\": false, "
				       "\"trouble\": \"No such file or directory\"}"));
	free(output);
	free(errors);
}

/* Of another build, nothing is said but what was executed. */
static void test_other_build(void **state)
{
	char expected[2 * PATH_MAX];

	(void)state;
	write_profile((struct setting){.other_build = true});
	snprintf(expected, sizeof(expected),
		 "self\n"
		 "  exit unknown, 2 processes, 2 threads\n"
		 "\n"
		 "  Calls  Module         Function        Source\n"
		 "     21  test_coverage  covered_called  \n"
		 "\n"
		 "No source lines: %s: the file is another build now\n",
		 self.path);
	check_coverage("-f --module test_coverage a.trm", expected, "");
	/* The tracefile is empty then, which is said. */
	snprintf(expected, sizeof(expected),
		 "trammel: warning: no source lines of '%s': the file is another build "
		 "now\n"
		 "trammel: warning: the tracefile is empty: no module has debug "
		 "information, compile with -g or install debug files\n",
		 self.path);
	check_coverage("--lcov --module test_coverage a.trm", "", expected);
}

/* Functions that were not known in the run may have been executed all the same. */
static void test_other_functions(void **state)
{
	char expected[2 * PATH_MAX];

	(void)state;
	write_profile((struct setting){.more_known = 1});
	snprintf(expected, sizeof(expected),
		 "self\n"
		 "  exit unknown, 2 processes, 2 threads\n"
		 "\n"
		 "  Calls  Module         Function        Source\n"
		 "     21  test_coverage  covered_called  covered.c:6\n"
		 "\n"
		 "Not all functions: %s: other functions are known now than when it was "
		 "measured: those not executed are left out\n",
		 self.path);
	check_coverage("-f --module test_coverage a.trm", expected, "");
}

/* What an unmeasured process executed is missing, which is said. */
static void test_released(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile((struct setting){.released = true});
	check_coverage("-f --source */covered.c --module test_coverage a.trm",
		       "self\n"
		       "  exit unknown, 3 processes, 3 threads\n"
		       "\n"
		       "  Calls  Module         Function        Source\n"
		       "     21  test_coverage  covered_called  covered.c:6\n"
		       "      0  test_coverage  covered_missed  covered.c:11\n"
		       "Released: process 12 (/usr/bin/sudo): set-uid program\n",
		       "");
	assert_int_equal(run_command(&cmd_coverage,
				     "--lcov --keep-missing --module test_coverage a.trm",
				     &output, &errors),
			 0);
	assert_string_equal(errors,
			    "trammel: warning: processes that were not measured, or "
			    "not to their end: 1 (trammel report names them)\n");
	free(output);
	free(errors);
}

static void test_wrong_usage(void **state)
{
	(void)state;
	write_profile((struct setting){0});
	check_command(&cmd_coverage, "a.trm b.trm", 2, "",
		      "trammel: one profile is shown, not 2: trammel coverage FILE\n");
	check_command(&cmd_coverage, "--lcov --json a.trm", 2, "",
		      "trammel: --lcov and --json are two outputs: choose one\n");
	check_command(&cmd_coverage, "--keep-missing a.trm", 2, "",
		      "trammel: --keep-missing is for --lcov: other outputs have all "
		      "source files\n");
	check_command(&cmd_coverage, "--module nix a.trm", 2, "",
		      "trammel: no module 'nix' in this profile: --by module shows those "
		      "that are\n");
	check_command(&cmd_coverage, "nowhere.trm", 4, "",
		      "trammel: cannot open 'nowhere.trm': No such file or directory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lcov),
		cmocka_unit_test(test_lcov_of_coverage),
		cmocka_unit_test(test_large_counts),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_folded_lines),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_lines_shown),
		cmocka_unit_test(test_only),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_other_build),
		cmocka_unit_test(test_other_functions),
		cmocka_unit_test(test_released),
		cmocka_unit_test(test_wrong_usage),
	};
	/* So that they are in the program. */
	int (*const used[])(int) = {covered_called, covered_missed, covered_skipped,
				    annotated};

	if (used[0](1) != 3 || places_folded() != 9)
		return 1;
	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
