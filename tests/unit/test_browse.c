/* `trammel browse` without its screen: what keys do, and what rows say. */
#include "base/cleanup.h"
#include "cli/browse/browser.h"
#include "record/value.h"
#include "report/load.h"
#include "report/select.h"
#include "report/text/cells.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROFILE "browse.trm"

static struct report_profile *load(void)
{
	struct report_profile *profile;

	assert_null(report_profile_load(PROFILE, &profile));
	assert_null(report_profile_select(profile, &(struct report_filter){0}));
	return profile;
}

static struct report_profile *load_calls(void)
{
	struct maker maker = begin_profile(PROFILE, false);

	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_module(&maker, LIBC, 3000);
	add_calls(&maker, ZIP, "longest_match", 0x1230, 80);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_calls(&maker, LIBC, "malloc", 0x8000, 19);
	add_arc(&maker, LIBC, "malloc", 0x8000,
		(const char *const[]){ZIP, "main", "call"},
		(const uint64_t[]){0x1000, 0x1010, 19});
	end_profile(&maker);
	return load();
}

static struct report_profile *load_stacks(void)
{
	FILE *file = fopen("stacks.folded", "w");
	char *output, *errors;

	assert_non_null(file);
	fputs("main;parse;read 30\nmain;parse 10\nmain;solve 55\nmain;report 4\nidle 1\n",
	      file);
	fclose(file);
	assert_int_equal(run_command(&cmd_import, "-o " PROFILE " stacks.folded", &output,
				     &errors),
			 0);
	free(output);
	free(errors);
	return load();
}

static void begin(struct browser *browser, struct report_profile *profile)
{
	assert_null(browser_init(browser, profile, NULL, PROFILE, false));
	browser->height = 10;
}

static void press(struct browser *browser, const char *keys)
{
	while (*keys)
		browser_key(browser, *keys++);
}

/* What a row says, without the sequences for colours and blanks at its end. */
static void check_row(const struct browser *browser, size_t row, size_t width,
		      const char *wanted)
{
	const struct browse_view *view = browser_view(browser);
	struct text text = {0};
	char *to;

	view->ops->row(view, row, width, &text);
	to = text.data;
	for (const char *from = text.data; *from;) {
		if (*from == '\033')
			from += strcspn(from, "m") + 1;
		else
			*to++ = *from++;
	}
	*to = '\0';
	assert_true(cells_of(text.data) <= width);
	while (to > text.data && to[-1] == ' ')
		*--to = '\0';
	assert_string_equal(text.data, wanted);
	text_deinit(&text);
}

static void check_title(const struct browser *browser, const char *title)
{
	assert_string_equal(browser_view(browser)->title.data, title);
}

static void end(struct browser *browser, struct report_profile *profile)
{
	browser_deinit(browser);
	report_profile_destroy(profile);
}

static void test_table(void **state)
{
	struct report_profile *profile = load_calls();
	struct browser browser;

	(void)state;
	begin(&browser, profile);
	check_title(&browser, "3 functions by calls");
	check_row(&browser, 0, 80,
		  "  80.0 % ######                80  zip       longest_match"
		  "");
	check_row(&browser, 2, 20, "   1.0 %  main");
	press(&browser, "r");
	check_title(&browser, "3 functions by calls, least first");
	check_row(&browser, 0, 20, "   1.0 %  main");
	press(&browser, ">");
	check_title(&browser, "3 functions by name");
	check_row(&browser, 2, 24, "  19.0 %  malloc");
	press(&browser, "<jj");
	assert_int_equal(browser_view(&browser)->at, 2);
	press(&browser, "jjj");
	assert_int_equal(browser_view(&browser)->at, 2);
	press(&browser, "d");
	check_title(&browser, "2 functions by calls, of zip");
	press(&browser, "d");
	check_title(&browser, "3 functions by calls");
	end(&browser, profile);
}

static void test_filter(void **state)
{
	struct report_profile *profile = load_calls();
	struct browser browser;
	struct text status = {0};

	(void)state;
	begin(&browser, profile);
	press(&browser, "/MA");
	browser_status(&browser, &status);
	assert_string_equal(status.data, "/MA");
	check_title(&browser, "3 functions by calls, with \"MA\"");
	press(&browser, "l");
	check_title(&browser, "1 function by calls, with \"MAl\"");
	browser_key(&browser, BROWSE_BACKSPACE);
	check_title(&browser, "3 functions by calls, with \"MA\"");
	press(&browser, "qq");
	check_title(&browser, "0 functions by calls, with \"MAqq\"");
	browser_key(&browser, BROWSE_ENTER); /* keys mean what they did again */
	press(&browser, "a/");
	browser_key(&browser, BROWSE_ESCAPE);
	check_title(&browser, "3 functions by calls");
	assert_false(browser.done);
	press(&browser, "q");
	assert_true(browser.done);
	text_deinit(&status);
	end(&browser, profile);
}

static void test_calls(void **state)
{
	struct report_profile *profile = load_calls();
	struct browser browser;
	struct text status = {0};

	(void)state;
	begin(&browser, profile);
	press(&browser, "jc");
	check_title(&browser, "calls of malloc");
	check_row(&browser, 0, 80, "Called by");
	check_row(&browser, 1, 80, "              19  main");
	press(&browser, "jc");
	check_title(&browser, "calls of main");
	check_row(&browser, 4, 80, "              19  malloc");
	/* Its file is not the measured one. */
	press(&browser, "jjjja");
	browser_status(&browser, &status);
	assert_non_null(strstr(status.data, LIBC));
	browser_key(&browser, BROWSE_ESCAPE);
	browser_key(&browser, BROWSE_ESCAPE);
	check_title(&browser, "3 functions by calls");
	text_deinit(&status);
	end(&browser, profile);
}

static void test_trees(void **state)
{
	struct report_profile *profile = load_stacks();
	struct browser browser;
	struct browse_view *view;

	(void)state;
	begin(&browser, profile);
	press(&browser, "t");
	check_title(&browser, "samples by call path");
	view = browser_view(&browser);
	assert_int_equal(view->count, 6); /* all in which most is are open */
	check_row(&browser, 0, 40, " 100.0 % ########  - all");
	check_row(&browser, 1, 40, "  99.0 % ########    - main  ([unknown])");
	check_row(&browser, 2, 40, "  55.0 % ####            solve  ([unknow");
	check_row(&browser, 3, 30, "  40.0 %      + parse  ([unkno");
	press(&browser, "/read");
	browser_key(&browser, BROWSE_ENTER);
	assert_int_equal(view->count, 7);
	assert_int_equal(view->at, 4);
	browser_key(&browser, BROWSE_LEFT); /* to parse */
	assert_int_equal(view->at, 3);
	browser_key(&browser, BROWSE_LEFT); /* which closes */
	assert_int_equal(view->count, 6);
	press(&browser, "C");
	assert_int_equal(view->count, 1);
	press(&browser, "E");
	assert_int_equal(view->count, 7);
	press(&browser, "t");
	check_title(&browser, "samples by source tree");
	press(&browser, "t");
	check_title(&browser, "samples by module");
	press(&browser, "f");
	check_title(&browser, "5 functions by samples");
	end(&browser, profile);
}

/* The rows in sight follow the cursor, whatever the height. */
static struct report_profile *load_fewer_calls(void)
{
	struct maker maker = begin_profile(PROFILE, false);

	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_module(&maker, LIBC, 3000);
	add_calls(&maker, ZIP, "longest_match", 0x1330, 160);
	add_calls(&maker, LIBC, "malloc", 0x8000, 10);
	add_calls(&maker, ZIP, "main", 0x1100, 1);
	add_arc(&maker, LIBC, "malloc", 0x8000,
		(const char *const[]){ZIP, "main", "call"},
		(const uint64_t[]){0x1100, 0x1110, 10});
	end_profile(&maker);
	return load();
}

/* Changes against another profile, whose functions are elsewhere. */
static void test_changes(void **state)
{
	struct report_profile *before = load_fewer_calls(), *profile = load_calls();
	struct browser browser;

	(void)state;
	assert_null(browser_init(&browser, profile, before, PROFILE, false));
	browser.height = 10;
	check_row(&browser, 0, 80,
		  "  80.0 % ######                80   -50.0 %  zip       longest_match");
	check_row(&browser, 1, 80,
		  "  19.0 % ##                    19   +90.0 %  libc.so.6 malloc");
	press(&browser, ">>");
	check_title(&browser, "3 functions by change");
	check_row(&browser, 0, 80,
		  "  19.0 % ##                    19   +90.0 %  libc.so.6 malloc");
	press(&browser, "c");
	check_row(&browser, 1, 60, "              19   +90.0 %  main");
	press(&browser, "qt");
	check_title(&browser, "calls by module");
	check_row(&browser, 0, 80,
		  " 100.0 % ########            100            -41.5 %  - all");
	end(&browser, profile);
	report_profile_destroy(before);
}

static void test_scrolling(void **state)
{
	struct report_profile *profile = load_stacks();
	struct browser browser;

	(void)state;
	begin(&browser, profile);
	press(&browser, "t");
	browser.height = 2;
	browser_key(&browser, BROWSE_END);
	assert_int_equal(browser_view(&browser)->at, 5);
	assert_int_equal(browser_view(&browser)->top, 4);
	browser.height = 100;
	browser_scroll(&browser);
	assert_int_equal(browser_view(&browser)->top, 0);
	browser.height = 2;
	browser_key(&browser, BROWSE_HOME);
	assert_int_equal(browser_view(&browser)->top, 0);
	end(&browser, profile);
}

/* Views can be opened without end: those that are too many take the place of others. */
static void test_deep(void **state)
{
	struct report_profile *profile = load_calls();
	struct browser browser;

	(void)state;
	begin(&browser, profile);
	for (int i = 0; i < 3 * BROWSE_DEPTH_MAX; i++)
		press(&browser, "h");
	check_title(&browser, "keys");
	press(&browser, "Q");
	assert_true(browser.done);
	end(&browser, profile);
}

static void test_no_terminal(void **state)
{
	report_profile_destroy(load_calls());
	(void)state;
	check_command(&cmd_browse, PROFILE, 2, "",
		      "trammel: no terminal to browse on: trammel report and trammel "
		      "flame print\n");
	check_command(&cmd_browse, "a b c", 2, "",
		      "trammel: one profile is needed, or two to compare: trammel browse "
		      "FILE [BEFORE]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),       cmocka_unit_test(test_filter),
		cmocka_unit_test(test_calls),       cmocka_unit_test(test_trees),
		cmocka_unit_test(test_scrolling),   cmocka_unit_test(test_deep),
		cmocka_unit_test(test_no_terminal), cmocka_unit_test(test_changes),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
