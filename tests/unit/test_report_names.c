/* Names in reports. */
#include "base/cleanup.h"
#include "base/text.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "report/demangle.h"
#include "report/load.h"
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

static void add_below(struct maker *maker, const char *path, uint64_t calls)
{
	record_node node = record_node_child(maker->model, 0,
					     attribute(maker, "function", RECORD_STRING),
					     record_string("same"));
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(0x10)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "calls", record_uint(calls)),
	};

	node = record_node_child(maker->model, node,
				 attribute(maker, "module.path", RECORD_STRING),
				 record_string(path));
	trm_writer_record(maker->writer, node, pairs, 3);
}

/* Others may have a function's name above its module. */
static void test_modules_below_functions(void **state)
{
	struct maker maker = begin_profile("below.trm", false);
	struct report_profile *profile;

	(void)state;
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_below(&maker, ZIP, 3);
	add_below(&maker, LIBC, 4);
	add_below(&maker, ZIP, 5);
	end_profile(&maker);
	assert_null(report_profile_load("below.trm", &profile));
	assert_int_equal(profile->functions.count, 2);
	assert_int_equal(profile->counts.count, 2);
	assert_int_equal(profile->counts.items[0].calls, 8);
	assert_int_equal(profile->counts.items[1].calls, 4);
	report_profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangling),
		cmocka_unit_test(test_modules_below_functions),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
