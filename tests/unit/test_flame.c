/* `trammel flame`, and how much room text and bars take. */
#include "base/array.h"
#include "base/cleanup.h"
#include "record/value.h"
#include "report/text/bar.h"
#include "report/text/cells.h"
#include "report/text/grid.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROFILE "flame.trm"

/* Makes a profile of folded stacks. */
static void import_stacks(const char *stacks)
{
	FILE *file = fopen("stacks.folded", "w");
	char *output, *errors;

	assert_non_null(file);
	fputs(stacks, file);
	fclose(file);
	assert_int_equal(run_command(&cmd_import, "-o " PROFILE " stacks.folded", &output,
				     &errors),
			 0);
	free(output);
	free(errors);
}

static void check_flame(const char *words, const char *output)
{
	check_command(&cmd_flame, words, 0, output, "");
}

static const char stacks[] = "main;parse;read 30\n"
			     "main;parse 10\n"
			     "main;solve 55\n"
			     "main;report 4\n"
			     "idle 1\n";

static void test_pictures(void **state)
{
	(void)state;
	import_stacks(stacks);
	check_flame("-w 41 " PROFILE, "100 samples: all\n"
				      "|all  100.0 %                           |\n"
				      "|main  99.0 %                           |\n"
				      "|solve  55.0 %        |parse  40.0 %  |r|\n"
				      "                      |read       |\n");
	check_flame("--up --depth 2 --width 41 " PROFILE,
		    "100 samples: all\n"
		    "|main  99.0 %                           |\n"
		    "|all  100.0 %                           |\n");
}

static void test_colours(void **state)
{
	char *output, *errors;

	(void)state;
	import_stacks(stacks);
	assert_int_equal(run_command(&cmd_flame, "--color=always -w 41 " PROFILE, &output,
				     &errors),
			 0);
	assert_non_null(strstr(output, "\033[38;5;16;48;5;"));
	assert_non_null(strstr(output, "m  \033[0m [unknown] 100.0 %"));
	free(output);
	free(errors);
}

static void test_lists(void **state)
{
	(void)state;
	import_stacks("main;parse;read 300\n"
		      "main;solve 698\n"
		      "main;rare 2\n");
	check_flame(PROFILE,
		    "1,000 samples: all\n"
		    "  100.0 %           1,000  ##########  all\n"
		    "  100.0 %           1,000  ##########    main  ([unknown])\n"
		    "   69.8 %             698  #######         solve  ([unknown])\n"
		    "   30.0 %             300  ###             parse  ([unknown])\n"
		    "   30.0 %             300  ###               read  ([unknown])\n"
		    "  ... 1 more node, with what is in it (--all shows it)\n");
	check_flame("--all --depth 3 " PROFILE,
		    "1,000 samples: all\n"
		    "  100.0 %           1,000  ##########  all\n"
		    "  100.0 %           1,000  ##########    main  ([unknown])\n"
		    "   69.8 %             698  #######         solve  ([unknown])\n"
		    "   30.0 %             300  ###             parse  ([unknown])\n"
		    "    0.2 %               2                  rare  ([unknown])\n"
		    "  ... 1 more node, with what is in it (--all shows it)\n");
	check_flame("--by module " PROFILE,
		    "1,000 samples: all\n"
		    "  100.0 %           1,000  ##########  all\n"
		    "  100.0 %           1,000  ##########    [unknown]\n"
		    "   69.8 %             698  #######         solve  ([unknown])\n"
		    "   30.0 %             300  ###             read  ([unknown])\n"
		    "  ... 1 more node, with what is in it (--all shows it)\n");
}

static void test_json(void **state)
{
	(void)state;
	import_stacks("a;b 3\na 1\nc 2\n");
	check_flame(
		"--json " PROFILE,
		"{\"by\": \"calls\", \"value\": \"samples\", \"unit\": \"\", \"tree\": "
		"{\"name\":\"all\", \"value\": 6, \"self\": 0, \"children\": ["
		"{\"name\":\"a\", \"module\": \"[unknown]\", \"value\": 4, \"self\": 1, "
		"\"children\": ["
		"{\"name\":\"b\", \"module\": \"[unknown]\", \"value\": 3, \"self\": 3, "
		"\"children\": []}]},\n"
		"{\"name\":\"c\", \"module\": \"[unknown]\", \"value\": 2, \"self\": 2, "
		"\"children\": []}]}}\n");
}

static void test_changes(void **state)
{
	char *output, *errors;

	(void)state;
	import_stacks("main;parse;read 60\nmain;solve 55\nmain;parse;fresh 4\n");
	assert_int_equal(rename(PROFILE, "now.trm"), 0);
	import_stacks(stacks);
	check_flame(
		"now.trm " PROFILE,
		"119 samples (+19.0 %): all\n"
		"  100.0 %             119    +19.0 %  ##########  all\n"
		"  100.0 %             119    +20.2 %  ##########    main  ([unknown])\n"
		"   53.8 %              64    +60.0 %  #####           parse  "
		"([unknown])\n"
		"   50.4 %              60   +100.0 %  #####             read  "
		"([unknown])\n"
		"    3.4 %               4        new                    fresh  "
		"([unknown])\n"
		"   46.2 %              55       same  #####           solve  "
		"([unknown])\n");
	check_flame("-w 50 -d 3 now.trm " PROFILE,
		    "119 samples (+19.0 %): all\n"
		    "|all  100.0 %  +19.0 %                           |\n"
		    "|main  100.0 %  +20.2 %                          |\n"
		    "|parse  53.8 %  +60.0 %   |solve  46.2 %  same   |\n");
	check_flame("--json -d 1 --by module now.trm now.trm",
		    "{\"by\": \"module\", \"value\": \"samples\", \"unit\": \"\", "
		    "\"tree\": {\"name\":\"all\", \"value\": 119, \"self\": 0, "
		    "\"before\": 119, \"children\": [{\"name\":\"[unknown]\", \"value\": "
		    "119, \"self\": 0, \"before\": 119, \"children\": "
		    "[{\"name\":\"read\", \"module\": \"[unknown]\", \"value\": 60, "
		    "\"self\": 60, \"before\": 60, \"children\": []},\n"
		    "{\"name\":\"solve\", \"module\": \"[unknown]\", \"value\": 55, "
		    "\"self\": 55, \"before\": 55, \"children\": []},\n"
		    "{\"name\":\"fresh\", \"module\": \"[unknown]\", \"value\": 4, "
		    "\"self\": 4, \"before\": 4, \"children\": []}]}]}}\n");
	assert_int_equal(run_command(&cmd_flame, "--color=always -w 41 now.trm " PROFILE,
				     &output, &errors),
			 0);
	assert_non_null(strstr(output, "48;5;253m")); /* solve */
	assert_non_null(strstr(output, "48;5;216m")); /* read */
	assert_non_null(strstr(output, "more than before"));
	free(output);
	free(errors);
}

/* Names may be of any script, and cannot steer the terminal. */
static void test_names(void **state)
{
	(void)state;
	import_stacks("\u4e2d\u6587\u51fd\u6570 10\n"
		      "e\u0301t\u00e9\033[31m 10\n");
	check_flame("--by calls -w 29 " PROFILE,
		    "20 samples: all\n"
		    "|all  100.0 %               |\n"
		    "|e\u0301t\u00e9?[31m     |\u4e2d\u6587\u51fd\u6570     |\n");
}

static void test_refused(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);

	(void)state;
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	end_profile(&maker);
	check_command(&cmd_flame, "--by calls " PROFILE, 2, "",
		      "trammel: no calls in their contexts: measure with trammel run -m "
		      "callgraph, or -m samples:callpath; --by module shows what there "
		      "is\n");
	check_command(&cmd_flame, "--by phase " PROFILE, 2, "",
		      "trammel: no regions: the program must have some, measured with "
		      "trammel run -m regions; --by module shows what there is\n");
	check_command(&cmd_flame, "--value instructions " PROFILE, 2, "",
		      "trammel: no 'instructions' in this tree: without --value it shows "
		      "what there is\n");
	check_command(&cmd_flame, "--width 19 " PROFILE, 2, "",
		      "trammel: --width '19' is not a number from 20 up\n");
	check_command(&cmd_flame, "-w 20001 " PROFILE, 2, "",
		      "trammel: --width '20001' is too wide: at most 10000\n");
}

/* Files are where the debug information says; folders with one folder are one. */
static void test_sources(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);
	char *output, *errors;

	(void)state;
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 40, true);
	add_calls(&maker, self.path, "leave_folder", address_of("leave_folder"), 3);
	add_calls(&maker, self.path, "enter_folder", address_of("enter_folder"), 1);
	add_module(&maker, LIBC, 40);
	add_calls(&maker, LIBC, "malloc", 0x1000, 4);
	end_profile(&maker);
	assert_int_equal(
		run_command(&cmd_flame, "--by source " PROFILE, &output, &errors), 0);
	assert_non_null(strstr(
		output,
		"   50.0 %               4  #####         (source not "
		"known)/libc.so.6\n"
		"   50.0 %               4  #####           malloc  (libc.so.6)\n"));
	assert_non_null(strstr(output, "tests/unit/profile_maker.c\n"
				       "   37.5 %               3  ####            "
				       "leave_folder"));
	free(output);
	free(errors);
}

static void test_cells(void **state)
{
	static const struct {
		const char *text;
		size_t columns, at_most, bytes, used;
	} rows[] = {
		{"", 0, 4, 0, 0},
		{"plain", 5, 4, 4, 4},
		{"\u4e2d\u6587", 4, 3, 3, 2}, /* half of a wide character is none */
		{"e\u0301x", 2, 1, 3, 1},     /* the accent stays with its letter */
		{"\xff\xfe"
		 "a",
		 3, 2, 2, 2},
		{"\xe4\xb8", 2, 9, 2, 2}, /* cut short */
	};

	(void)state;
	for (size_t i = 0; i < array_count(rows); i++) {
		size_t used;

		assert_int_equal(cells_of(rows[i].text), rows[i].columns);
		assert_int_equal(cells_fit(rows[i].text, rows[i].at_most, &used),
				 rows[i].bytes);
		assert_int_equal(used, rows[i].used);
	}
}

static void check_bar(double share, size_t columns, bool unicode, const char *bar)
{
	struct text text = {0};

	bar_add(&text, share, columns, unicode);
	assert_string_equal(text.data, bar);
	text_deinit(&text);
}

static void test_bars(void **state)
{
	(void)state;
	check_bar(1, 4, false, "####");
	check_bar(0.5, 4, false, "##  ");
	check_bar(0, 4, false, "    ");
	check_bar(1, 2, true, "\u2588\u2588");
	check_bar(0.8125, 2, true, "\u2588\u258b");
	check_bar(0.02, 4, true, "\u258f   ");
}

/* On a terminal the first share of a row has a bar; the longest has all its room. */
static void test_grid(void **state)
{
	const struct text_style wide = {false, 80}, narrow = {false, 60};
	struct grid grid = {0};
	struct text text = {0};

	(void)state;
	setenv("LC_ALL", "C", 1);
	grid_add_column(&grid, "Calls", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Name", false);
	for (unsigned i = 1; i <= 3; i++) {
		grid_add_number(&grid, i);
		grid_add_share(&grid, i == 3 ? 0 : i, i == 3 ? 0 : 4);
		grid_add_text(&grid, i == 1 ? "\u4e2d\u6587" : "b");
	}
	grid_print(&grid, &wide, &text);
	assert_string_equal(text.data, "  Calls   Share           Name\n"
				       "      1  25.0 % ####      \u4e2d\u6587\n"
				       "      2  50.0 % ########  b\n"
				       "      3                   b\n");
	text.length = 0;
	grid_print(&grid, &narrow, &text);
	assert_string_equal(text.data, "  Calls   Share  Name\n"
				       "      1  25.0 %  \u4e2d\u6587\n"
				       "      2  50.0 %  b\n"
				       "      3          b\n");
	text_deinit(&text);
	grid_deinit(&grid);
	unsetenv("LC_ALL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures), cmocka_unit_test(test_colours),
		cmocka_unit_test(test_lists),    cmocka_unit_test(test_json),
		cmocka_unit_test(test_changes),  cmocka_unit_test(test_names),
		cmocka_unit_test(test_refused),  cmocka_unit_test(test_sources),
		cmocka_unit_test(test_cells),    cmocka_unit_test(test_bars),
		cmocka_unit_test(test_grid),
	};

	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
