/* Columns, order and CSV of tables, whichever they are. */
#include "report/text/choice.h"
#include "report/text/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void fill(struct grid *grid)
{
	static const struct {
		const char *name, *time;
		unsigned long long calls, part;
	} rows[] = {{"b, \"x\"", "1.5 ms", 1234567, 1},
		    {"a", "900 us", 20, 3},
		    {"c", "2.0 s", 300, 2}};

	grid_add_column(grid, "Calls", true);
	grid_add_column(grid, "Share", true);
	grid_add_column(grid, "Time (ns)", true);
	grid_add_column(grid, "Function", false);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		grid_add_number(grid, rows[i].calls);
		grid_add_share(grid, rows[i].part, 6);
		grid_add_text(grid, rows[i].time);
		grid_add_text(grid, rows[i].name);
	}
}

/* What is printed of the table with a choice. */
static void expect(const struct grid_choice *choice, const char *wanted)
{
	const struct text_style style = {0};
	struct grid grid = {0};
	struct text out = {0};

	fill(&grid);
	grid_choose(choice);
	text_add(&out, "");
	grid_print(&grid, &style, &out);
	assert_string_equal(choice->csv ? grid_csv()->data : out.data, wanted);
	assert_null(grid_check());
	grid_deinit(&grid);
	text_deinit(&out);
	grid_choose(NULL);
}

static void test_columns(void **state)
{
	(void)state;
	expect(&(struct grid_choice){.columns = "function,CALLS"},
	       "  Function      Calls\n"
	       "  b, \"x\"    1,234,567\n"
	       "  a                20\n"
	       "  c               300\n");
	expect(&(struct grid_choice){.columns = "time"}, "  Time (ns)\n"
							 "     1.5 ms\n"
							 "     900 us\n"
							 "      2.0 s\n");
}

static void test_sort(void **state)
{
	(void)state;
	expect(&(struct grid_choice){.columns = "function", .sort = "calls"},
	       "  Function\n  b, \"x\"\n  c\n  a\n");
	expect(&(struct grid_choice){.columns = "function", .sort = "-calls"},
	       "  Function\n  a\n  c\n  b, \"x\"\n");
	expect(&(struct grid_choice){.columns = "function", .sort = "function"},
	       "  Function\n  a\n  b, \"x\"\n  c\n");
	/* Times by what they are, whatever their unit. */
	expect(&(struct grid_choice){.columns = "function", .sort = "time"},
	       "  Function\n  c\n  b, \"x\"\n  a\n");
	expect(&(struct grid_choice){.columns = "function", .sort = "share", .limit = 1},
	       "  Function\n  a\n  ... 2 more rows (--all shows them)\n");
}

static void test_csv(void **state)
{
	(void)state;
	expect(&(struct grid_choice){.csv = true},
	       "Calls,Share,Time (ns),Function\r\n"
	       "1234567,16.7,1.5 ms,\"b, \"\"x\"\"\"\r\n"
	       "20,50.0,900 us,a\r\n"
	       "300,33.3,2.0 s,c\r\n");
	expect(&(struct grid_choice){.csv = true, .columns = "function", .sort = "calls"},
	       "Function\r\n\"b, \"\"x\"\"\"\r\nc\r\na\r\n");
}

static void expect_error(const struct grid_choice *choice, const char *wanted)
{
	const struct text_style style = {0};
	struct grid grid = {0};
	struct text out = {0};
	struct trm_error *error;

	fill(&grid);
	grid_choose(choice);
	grid_print(&grid, &style, &out);
	error = grid_check();
	assert_non_null(error);
	assert_string_equal(error->message, wanted);
	trm_error_destroy(error);
	grid_deinit(&grid);
	text_deinit(&out);
	grid_choose(NULL);
}

static void test_unknown(void **state)
{
	(void)state;
	expect_error(&(struct grid_choice){.columns = "calls,cal"},
		     "no column 'cal' here: there are Calls, Share, Time (ns), Function");
	expect_error(
		&(struct grid_choice){.sort = "size"},
		"no column 'size' here: there are Calls, Share, Time (ns), Function");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
