/* Names in reports. */
#include "base/cleanup.h"
#include "base/text.h"
#include "report/text/report.h"

/* The whole command. */
#include "cli/commands.h"

#include "profile_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A name of a few hundred bytes that stands for one of many GiB. */
static void test_demangling(void **state)
{
	char *name = report_demangle("_ZNSt6vectorIiSaIiEE9push_backERKi");
	struct text bomb = {0};

	(void)state;
	assert_string_equal(
		name, "std::vector<int, std::allocator<int> >::push_back(int const&)");
	free(name);
	name = report_demangle("_RNvCs1234_7mycrate3foo");
	assert_string_equal(name, "mycrate::foo");
	free(name);
	assert_null(report_demangle("main"));
	assert_null(report_demangle("_Znonsense"));
	text_add(&bomb, "_Z1fI1aE");
	text_add(&bomb, "1XIiiiiE");
	for (int i = 1; i < 30; i++)
		text_format(&bomb, "1XIS%c_S%c_S%c_S%c_E",
			    "0123456789ABCDEFGHIJKLMNOPQRST"[i],
			    "0123456789ABCDEFGHIJKLMNOPQRST"[i],
			    "0123456789ABCDEFGHIJKLMNOPQRST"[i],
			    "0123456789ABCDEFGHIJKLMNOPQRST"[i]);
	name = report_demangle(bomb.data);
	assert_true(!name || strlen(name) <= 65536);
	free(name);
	text_deinit(&bomb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangling),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
