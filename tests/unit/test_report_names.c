/* What reports show that is not a count of our own: demangled names, profiles of LLNL's
 * Caliper. */
#include "base/cleanup.h"
#include "base/text.h"
#include "report/text/report.h"

/* The whole command. */
#include "cli/report.c"

#include "profile_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Regions of a profile that LLNL's Caliper wrote, of two ranks. */
static void test_cali(void **state)
{
	scoped_file FILE *file = fopen("x.cali", "w");
	char *output, *errors;

	(void)state;
	assert_non_null(file);
	fputs("__rec=node,id=18,attr=10,data=276,parent=3\n"
	      "__rec=node,id=20,attr=8,data=region,parent=18\n"
	      "__rec=node,id=35,attr=10,data=2133,parent=2\n"
	      "__rec=node,id=36,attr=8,data=region.count,parent=35\n"
	      "__rec=node,id=37,attr=8,data=sum#time.duration.ns,parent=35\n"
	      "__rec=node,id=38,attr=8,data=mpi.rank,parent=1\n"
	      "__rec=node,id=39,attr=8,data=attribute.unit,parent=3\n"
	      "__rec=node,id=40,attr=39,data=sec,parent=5\n"
	      "__rec=node,id=41,attr=8,data=time.duration,parent=40\n"
	      "__rec=node,id=42,attr=8,data=event.end#region,parent=3\n"
	      "__rec=node,id=50,attr=20,data=main\n"
	      "__rec=node,id=51,attr=38,data=0,parent=50\n"
	      "__rec=node,id=52,attr=20,data=solve,parent=51\n"
	      "__rec=node,id=53,attr=42,data=solve,parent=52\n"
	      "__rec=ctx,ref=51,attr=36=37,data=1=1000\n"
	      "__rec=ctx,ref=52,attr=36=37,data=3=3000\n"
	      "__rec=ctx,ref=52,attr=41=38,data=2e-6=1\n"
	      "__rec=ctx,ref=53,attr=41=38,data=1e-6=1\n"
	      "__rec=ctx,ref=50\n",
	      file);
	fflush(file);
	assert_int_equal(run_command(cmd_report, "--by region x.cali", &output, &errors),
			 0);
	assert_string_equal(errors, "");
	const char *table = strstr(output, "  Count");

	assert_non_null(table);
	assert_string_equal(table,
			    "  Count  Inclusive    Share  Exclusive   Share  Region\n"
			    "      1       7 us  100.0 %       1 us  14.3 %  main\n"
			    "      4       6 us   85.7 %       6 us  85.7 %    solve\n");
	free(output);
	free(errors);
	unlink("x.cali");
}

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
		cmocka_unit_test(test_cali),
		cmocka_unit_test(test_demangling),
	};
	char folder[] = "/tmp/test_report.XXXXXX";

	enter_folder(folder);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_folder(folder, (const char *const[]){NULL});
	return failed;
}
