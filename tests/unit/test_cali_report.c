/* `trammel report` of what LLNL's Caliper wrote. */
#include "base/cleanup.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define PROFILE "x.cali"

static void expect_regions(const char *profile, const char *table)
{
	FILE *file = fopen(PROFILE, "w");
	char *output, *errors;

	assert_non_null(file);
	fputs(profile, file);
	fclose(file);
	assert_int_equal(
		run_command(&cmd_report, "--by region " PROFILE, &output, &errors), 0);
	assert_string_equal(errors, "");
	assert_non_null(strstr(output, "  Count"));
	assert_string_equal(strstr(output, "  Count"), table);
	free(output);
	free(errors);
}

/* Of two ranks; attributes that are not nested are no regions. */
static void test_regions(void **state)
{
	(void)state;
	expect_regions("__rec=node,id=18,attr=10,data=276,parent=3\n"
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
		       "  Count  Inclusive    Share  Exclusive   Share  Region\n"
		       "      1       7 us  100.0 %       1 us  14.3 %  main\n"
		       "      4       6 us   85.7 %       6 us  85.7 %    solve\n");
}

/* Times with those of the regions inside; by rounding these are a bit more together. */
static void test_inclusive(void **state)
{
	(void)state;
	expect_regions("__rec=node,id=20,attr=8,data=function,parent=3\n"
		       "__rec=node,id=18,attr=10,data=256,parent=3\n"
		       "__rec=node,id=21,attr=8,data=region,parent=18\n"
		       "__rec=node,id=22,attr=8,data=sum#inclusive#sum#time.duration.ns,"
		       "parent=5\n"
		       "__rec=node,id=50,attr=21,data=main\n"
		       "__rec=node,id=51,attr=20,data=f,parent=50\n"
		       "__rec=node,id=52,attr=21,data=a,parent=51\n"
		       "__rec=node,id=53,attr=21,data=b,parent=50\n"
		       "__rec=ctx,ref=52,attr=22,data=2.5\n"
		       "__rec=ctx,ref=53,attr=22,data=6.5\n"
		       "__rec=ctx,ref=50,attr=22,data=9\n",
		       "  Count  Inclusive    Share  Exclusive   Share  Region\n"
		       "      0      10 ns  100.0 %       0 ns   0.0 %  main\n"
		       "      0       7 ns   70.0 %       7 ns  70.0 %    b\n"
		       "      0       3 ns   30.0 %       3 ns  30.0 %    a\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_inclusive),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
