/* `trammel diff`: profiles are written here with the writer, and the output compared. */
#include "record/value.h"
#include "report/profile.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct maker begin(const char *path, const char *measure)
{
	struct maker maker = begin_profile(path, false);

	add_global(&maker, "run.command", record_string("zip x"));
	add_global(&maker, "run.measure", record_string(measure));
	return maker;
}

/* In B, zip was built anew elsewhere and its functions lie at other places; a function
 * without a name is another one then. Two static functions have the same name. */
static void write_sides(const char *measure)
{
	struct maker maker = begin("a.trm", measure);

	add_image(&maker, 1, "/usr/bin/zip", 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_calls(&maker, ZIP, "deflate", 0x1100, 1000000);
	add_calls(&maker, ZIP, "_ZN3foo3barEi", 0x1200, 100);
	add_calls(&maker, ZIP, "help", 0x1300, 3);
	add_calls(&maker, ZIP, "help", 0x1400, 4);
	add_calls(&maker, ZIP, "sub_1500", 0x1500, 5);
	add_calls(&maker, LIBC, "malloc", 0x8000, 200);
	end_profile(&maker);
	maker = begin("b.trm", measure);
	add_image(&maker, 2, "/home/me/zip", 1, "exited 0", NULL);
	add_calls(&maker, "/home/me/zip", "main", 0x2000, 1);
	add_calls(&maker, "/home/me/zip", "deflate", 0x2100, 750000);
	add_calls(&maker, "/home/me/zip", "_ZN3foo3barEi", 0x2200, 104);
	add_calls(&maker, "/home/me/zip", "help", 0x2300, 7);
	add_calls(&maker, "/home/me/zip", "sub_2500", 0x2500, 5);
	add_calls(&maker, LIBC, "malloc", 0x8000, 300);
	add_image(&maker, 3, "/bin/cat", 1, "exited 0", NULL);
	add_calls(&maker, LIBC, "free", 0x9000, 20);
	add_calls(&maker, LIBC, "malloc", 0x8000, 100);
	end_profile(&maker);
}

#define HEAD                                                                             \
	"A  a.trm: zip x\n"                                                              \
	"B  b.trm: zip x\n"                                                              \
	"\n"
#define CALLS "Calls: 1,000,313 in A, 750,537 in B: -249,776, -25.0 %\n"

static void test_functions(void **state)
{
	(void)state;
	write_sides("functions");
	check_command(
		&cmd_diff, "a.trm b.trm", 1,
		HEAD
		"          A        B  Difference    Change  Module     Function\n"
		"  1,000,000  750,000    -250,000   -25.0 %  zip        deflate\n"
		"        200      400        +200  +100.0 %  libc.so.6  malloc\n"
		"          0       20         +20       new  libc.so.6  free\n"
		"          5        0          -5      gone  zip        sub_1500\n"
		"          0        5          +5       new  zip        sub_2500\n"
		"        100      104          +4    +4.0 %  zip        foo::bar(int)\n"
		"\n"
		"6 functions differ: 2 new, 1 gone; 2 do not\n" CALLS,
		"");
}

static void test_rows_chosen(void **state)
{
	(void)state;
	write_sides("functions");
	check_command(&cmd_diff,
		      "--threshold=4 --sort=name --limit 2 --module z* a.trm b.trm", 1,
		      HEAD
		      "          A        B  Difference   Change  Module  Function\n"
		      "  1,000,000  750,000    -250,000  -25.0 %  zip     deflate\n"
		      "          5        0          -5     gone  zip     sub_1500\n"
		      "  ... 1 more function (--all shows it)\n"
		      "\n"
		      "3 functions differ: 1 new, 1 gone; 3 do not (by more than 4 %)\n"
		      "Calls: 1,000,113 in A, 750,117 in B: -249,996, -25.0 %\n",
		      "");
	check_command(&cmd_diff, "--sort ratio --module *libc* a.trm b.trm", 1,
		      HEAD "    A    B  Difference    Change  Module     Function\n"
			   "    0   20         +20       new  libc.so.6  free\n"
			   "  200  400        +200  +100.0 %  libc.so.6  malloc\n"
			   "\n"
			   "2 functions differ: 1 new, 0 gone; 0 do not\n"
			   "Calls: 200 in A, 420 in B: +220, +110.0 %\n",
		      "");
	check_command(&cmd_diff, "--by module --sort module -t 25 a.trm b.trm", 1,
		      HEAD "    A    B  Difference    Change  Module\n"
			   "  200  420        +220  +110.0 %  libc.so.6\n"
			   "\n"
			   "1 module differs; 1 does not (by more than 25 %)\n" CALLS,
		      "");
	check_command(&cmd_diff, "--by=program a.trm b.trm", 1,
		      HEAD "          A        B  Difference   Change  Program\n"
			   "  1,000,313  750,417    -249,896  -25.0 %  zip\n"
			   "          0      120        +120      new  cat\n"
			   "\n"
			   "2 programs differ: 1 new, 0 gone; 0 do not\n" CALLS,
		      "");
}

static void test_equal(void **state)
{
	(void)state;
	write_sides("functions");
	check_command(&cmd_diff, "a.trm a.trm", 0,
		      "A  a.trm: zip x\n"
		      "B  a.trm: zip x\n"
		      "\n"
		      "0 functions differ; 6 do not\n"
		      "Calls: 1,000,313 in A, 1,000,313 in B\n",
		      "");
	/* Differences of just the threshold are none; new functions are always one. */
	check_command(&cmd_diff, "--by module -t 110 --module libc* a.trm b.trm", 0,
		      HEAD "0 modules differ; 1 does not (by more than 110 %)\n"
			   "Calls: 200 in A, 420 in B: +220, +110.0 %\n",
		      "");
	char *output, *errors;

	assert_int_equal(run_command(&cmd_diff, "-t 1e9 a.trm b.trm", &output, &errors),
			 1);
	free(output);
	free(errors);
}

#define RUN "[{\"run.command\": \"zip x\", \"run.measure\": \"functions\"}]"

static void test_json(void **state)
{
	(void)state;
	write_sides("functions");
	check_command(
		&cmd_diff, "--json --limit=1 --module libc* a.trm b.trm", 1,
		"{\"a\": {\"file\": \"a.trm\", \"calls\": 200, \"runs\": " RUN "},\n"
		"\"b\": {\"file\": \"b.trm\", \"calls\": 420, \"runs\": " RUN "},\n"
		"\"by\": \"function\", \"threshold\": 0, \"equal\": 0,\n"
		"\"rows\": [\n"
		"  {\"module\": \"libc.so.6\", \"function\": \"malloc\", \"a\": 200, "
		"\"b\": 400, \"difference\": 200, \"ratio\": 2, \"state\": "
		"\"changed\"},\n"
		"  {\"module\": \"libc.so.6\", \"function\": \"free\", \"a\": 0, "
		"\"b\": 20, \"difference\": 20, \"ratio\": null, \"state\": "
		"\"new\"}]}\n",
		"");
	check_command(
		&cmd_diff, "--json --by program a.trm a.trm", 0,
		"{\"a\": {\"file\": \"a.trm\", \"calls\": 1000313, \"runs\": " RUN "},\n"
		"\"b\": {\"file\": \"a.trm\", \"calls\": 1000313, \"runs\": " RUN "},\n"
		"\"by\": \"program\", \"threshold\": 0, \"equal\": 1,\n"
		"\"rows\": []}\n",
		"");
}

/* Functions executed count, not calls; those of two processes of a program once. */
static void test_coverage(void **state)
{
	(void)state;
	write_sides("coverage");
	struct maker maker = begin("c.trm", "coverage");

	add_image(&maker, 1, "/bin/cat", 1, "exited 0", NULL);
	add_calls(&maker, LIBC, "malloc", 0x8000, 1);
	add_image(&maker, 2, "/bin/cat", 1, "exited 0", NULL);
	add_calls(&maker, LIBC, "malloc", 0x8000, 1);
	add_calls(&maker, LIBC, "free", 0x9000, 1);
	end_profile(&maker);
	check_command(&cmd_diff, "--module libc* b.trm c.trm", 0,
		      "A  b.trm: zip x\n"
		      "B  c.trm: zip x\n"
		      "\n"
		      "0 functions differ; 2 do not\n"
		      "Executed: 2 in A, 2 in B\n",
		      "");
	check_command(&cmd_diff, "--by program c.trm b.trm", 1,
		      "A  c.trm: zip x\n"
		      "B  b.trm: zip x\n"
		      "\n"
		      "  A  B  Difference  Change  Program\n"
		      "  0  6          +6     new  zip\n"
		      "\n"
		      "1 program differs: 1 new, 0 gone; 1 does not\n"
		      "Executed: 2 in A, 8 in B: +6, +300.0 %\n",
		      "");
	maker = begin("c.trm", "functions");
	end_profile(&maker);
	check_command(&cmd_diff, "c.trm b.trm", 2, "",
		      "trammel: 'c.trm' has calls, 'b.trm' coverage: these cannot be "
		      "compared, measure the same in both\n");
}

#define BLOCK(...) ((const uint64_t[]){__VA_ARGS__})

/* One function is called as often but does more, one lies elsewhere and does the same,
 * and one has counts of blocks on one side alone. */
static void write_blocks(void)
{
	struct maker maker = begin("a.trm", "blocks");

	add_image(&maker, 1, "/usr/bin/zip", 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "deflate", 0x1100, 10);
	add_block(&maker, ZIP, "deflate", 0x1100, BLOCK(0x1100, 32, 10, 10));
	add_block(&maker, ZIP, "deflate", 0x1100, BLOCK(0x1120, 7, 2, 900));
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_block(&maker, ZIP, "main", 0x1000, BLOCK(0x1000, 7, 3, 1));
	add_calls(&maker, ZIP, "odd", 0x3000, 1);
	end_profile(&maker);
	maker = begin("b.trm", "blocks");
	add_image(&maker, 1, "/usr/bin/zip", 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "deflate", 0x2100, 10);
	add_block(&maker, ZIP, "deflate", 0x2100, BLOCK(0x2100, 32, 10, 10));
	add_block(&maker, ZIP, "deflate", 0x2100, BLOCK(0x2120, 7, 2, 1000));
	add_calls(&maker, ZIP, "main", 0x2000, 1);
	add_block(&maker, ZIP, "main", 0x2000, BLOCK(0x2000, 7, 3, 1));
	add_calls(&maker, ZIP, "odd", 0x3000, 1);
	add_block(&maker, ZIP, "odd", 0x3000, BLOCK(0x3000, 7, 3, 1));
	end_profile(&maker);
}

static void test_blocks(void **state)
{
	char *output, *errors;

	(void)state;
	write_blocks();
	check_command(&cmd_diff, "--sort instructions a.trm b.trm", 1,
		      HEAD
		      "   A   B  Difference  Change  Instructions  Module  Function\n"
		      "  10  10           0  +0.0 %          +200  zip     deflate\n"
		      "\n"
		      "1 function differs; 2 do not\n"
		      "Calls: 12 in A, 12 in B\n"
		      "Instructions: 1,903 in A, 2,106 in B: +203, +10.7 %\n",
		      "");
	check_command(&cmd_diff, "--by block a.trm b.trm", 1,
		      HEAD "    A      B  Difference   Change  Module  Block\n"
			   "  900  1,000        +100  +11.1 %  zip     deflate+0x20\n"
			   "    0      1          +1      new  zip     odd+0x0\n"
			   "\n"
			   "2 blocks differ: 1 new, 0 gone; 2 do not\n"
			   "Executions: 911 in A, 1,012 in B: +101, +11.1 %\n"
			   "Instructions: 1,903 in A, 2,106 in B: +203, +10.7 %\n",
		      "");
	assert_int_equal(run_command(&cmd_diff, "--json --by module a.trm b.trm", &output,
				     &errors),
			 1);
	assert_non_null(strstr(output,
			       "\"difference\": 0, \"ratio\": 1, \"instructions.a\": "
			       "1903, \"instructions.b\": 2106, \"state\": "
			       "\"changed\"}"));
	free(output);
	free(errors);
	/* Against a profile without them, calls are compared. */
	write_blocks();
	struct maker maker = begin("b.trm", "functions");

	add_image(&maker, 1, "/usr/bin/zip", 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "deflate", 0x1100, 10);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_calls(&maker, ZIP, "odd", 0x3000, 1);
	end_profile(&maker);
	check_command(&cmd_diff, "a.trm b.trm", 0,
		      "A  a.trm: zip x\n"
		      "B  b.trm: zip x\n"
		      "\n"
		      "0 functions differ; 3 do not\n"
		      "Calls: 12 in A, 12 in B\n",
		      "");
	check_command(&cmd_diff, "--by block a.trm b.trm", 2, "",
		      "trammel: no counts of blocks in 'b.trm': measure with trammel run "
		      "-m blocks\n");
}

static void test_colours(void **state)
{
	char *output, *errors;

	(void)state;
	write_sides("functions");
	assert_int_equal(
		run_command(&cmd_diff, "--color always a.trm b.trm", &output, &errors),
		1);
	assert_non_null(strstr(output, "\n\033[32m          0       20         +20  "
				       "     new  libc.so.6  free\033[0m\n"));
	assert_non_null(strstr(output, "\n\033[31m          5        0          -5  "
				       "    gone  zip        sub_1500\033[0m\n"));
	assert_non_null(strstr(output, "\n        100      104 "));
	free(output);
	free(errors);
}

static void test_torn(void **state)
{
	char *output, *errors;
	struct maker maker;

	(void)state;
	write_sides("functions");
	maker = begin_profile("a.trm", true);
	end_profile(&maker);
	/* The end mark of what was put behind it is cut. */
	FILE *file = fopen("a.trm", "r+");

	assert_non_null(file);
	assert_int_equal(fseek(file, -1, SEEK_END), 0);
	assert_int_equal(ftruncate(fileno(file), ftell(file)), 0);
	fclose(file);
	assert_int_equal(run_command(&cmd_diff, "a.trm b.trm", &output, &errors), 1);
	assert_non_null(strstr(output, "A  a.trm: zip x (and 1 more run)\n"));
	assert_non_null(strstr(output, CALLS));
	assert_non_null(strstr(errors, "trammel: warning: 'a.trm' is damaged at byte "));
	free(output);
	free(errors);
}

static void test_wrong_usage(void **state)
{
	static const struct {
		const char *words, *message;
	} cases[] = {
		{"", "two profiles are compared, not 0: trammel diff A B"},
		{"a b c", "two profiles are compared, not 3: trammel diff A B"},
		{"--by functions a b",
		 "--by 'functions' is unknown: did you mean 'function'?"},
		{"--sort=nam a b", "--sort 'nam' is unknown: did you mean 'name'?"},
		{"-t -1 a b", "--threshold '-1' is not a number from 0 up"},
		{"-t 5% a b", "--threshold '5%' is not a number from 0 up"},
		{"-t 1e999 a b", "--threshold '1e999' is not a number from 0 up"},
		{"-n 0 a b", "--limit '0' is not a number from 1 up"},
		{"--module nix a.trm b.trm",
		 "no module 'nix' in these profiles: trammel report --by module shows "
		 "those that are"},
	};

	(void)state;
	write_sides("functions");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "trammel: %s\n", cases[i].message);
		check_command(&cmd_diff, cases[i].words, 2, "", expected);
	}
	check_command(&cmd_diff, "a.trm nowhere.trm", 4, "",
		      "trammel: cannot open 'nowhere.trm': No such file or directory\n");
}

#define EDGE(...) BLOCK(__VA_ARGS__)

/* In B the function lies elsewhere, and its loop is left once more; who calls it moved,
 * too. */
static void write_ways(const char *file, uint64_t at, uint64_t rounds)
{
	static const char *const main_call[] = {ZIP, "main", "call"};
	static const char *const libc_call[] = {LIBC, "qsort", "indirect"};
	static const char *const unknown[] = {NULL, NULL, "other"};
	struct maker maker = begin(file, "edges,calls");

	add_image(&maker, 1, "/usr/bin/zip", 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "deflate", at, 10);
	add_block(&maker, ZIP, "deflate", at, BLOCK(at, 32, 10, rounds));
	add_edge(&maker, ZIP, "deflate", at, "jump", EDGE(at + 30, at, at, rounds));
	add_edge(&maker, ZIP, "deflate", at, "next", EDGE(at + 30, at, at + 32, 10));
	add_edge(&maker, ZIP, "deflate", at, "leave", EDGE(at + 34, at + 32, 0, 10));
	add_edge(&maker, ZIP, "deflate", at, "jump", EDGE(at + 60, at + 40, at, 0));
	add_arc(&maker, ZIP, "deflate", at, main_call, BLOCK(at - 64, at - 50, 3));
	add_arc(&maker, ZIP, "deflate", at, main_call, BLOCK(at - 64, at - 40, rounds));
	add_arc(&maker, ZIP, "deflate", at, libc_call, BLOCK(0x500, 0x510, 4));
	add_arc(&maker, ZIP, "deflate", at, unknown, BLOCK(0, 0, at & 2));
	end_profile(&maker);
}

static void test_edges_and_arcs(void **state)
{
	char *output, *errors;

	(void)state;
	write_ways("a.trm", 0x1100, 100);
	write_ways("b.trm", 0x2102, 150);
	check_command(&cmd_diff, "--by edge a.trm b.trm", 1,
		      HEAD
		      "    A    B  Difference   Change  Module  Edge\n"
		      "  100  150         +50  +50.0 %  zip     deflate+0x0 -> +0x0\n"
		      "\n"
		      "1 edge differs; 2 do not\n"
		      "Taken: 120 in A, 170 in B: +50, +41.7 %\n",
		      "");
	check_command(&cmd_diff, "--by arc a.trm b.trm", 1,
		      HEAD "    A    B  Difference   Change  Module  Caller -> Function\n"
			   "  103  153         +50  +48.5 %  zip     main -> deflate\n"
			   "    0    2          +2      new  zip     ? -> deflate\n"
			   "\n"
			   "2 arcs differ: 1 new, 0 gone; 1 does not\n"
			   "Calls: 107 in A, 159 in B: +52, +48.6 %\n",
		      "");
	assert_int_equal(
		run_command(&cmd_diff, "--json --by edge a.trm b.trm", &output, &errors),
		1);
	assert_non_null(strstr(output, "\"count\": 120"));
	assert_non_null(strstr(output, "\"module\": \"zip\", \"edge\": \"deflate+0x0 -> "
				       "+0x0\", \"a\": 100, \"b\": 150"));
	free(output);
	free(errors);
	write_blocks();
	check_command(&cmd_diff, "--by edge a.trm b.trm", 2, "",
		      "trammel: no counts of edges in 'a.trm': measure with trammel run "
		      "-m edges\n");
	check_command(&cmd_diff, "--by arc a.trm b.trm", 2, "",
		      "trammel: no calls by call site in 'a.trm': measure with "
		      "trammel run -m calls\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),      cmocka_unit_test(test_rows_chosen),
		cmocka_unit_test(test_equal),          cmocka_unit_test(test_json),
		cmocka_unit_test(test_coverage),       cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_edges_and_arcs), cmocka_unit_test(test_colours),
		cmocka_unit_test(test_torn),           cmocka_unit_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
