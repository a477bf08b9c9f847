/* `trammel loops`, and loops in `trammel annotate`: of functions in annotated.S. */
#include "record/value.h"
#include "annotate/trips.h"

#include "profile_maker.h"
#include "run_command.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int annotated_loop(int number);
int nested(int outer, int inner);
int annotated_odd(int number);

/* The loop called 3 times, with 50 rounds; the nested one called 2 times, with 5 rounds
 * of 7 each. */
static void write_profile(void)
{
	struct maker maker = begin_profile("a.trm", false);

	add_global(&maker, "run.measure", record_string("blocks"));
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	add_own_loops(&maker);
	add_calls(&maker, self.path, "annotated_odd", address_of("annotated_odd"), 1);
	end_profile(&maker);
}

/* What goes back behind the call is not known by itself, but by what comes from above. */
static void test_table(void **state)
{
	char *output, *errors, row[256];
	uint64_t nested_at = address_of("nested");

	(void)state;
	write_profile();
	assert_int_equal(run_command(&cmd_loops, "a.trm", &output, &errors), 0);
	assert_string_equal(errors, "");
	assert_non_null(strstr(output, "3 loops executed\n\n"));
	snprintf(row, sizeof(row),
		 "        3          50   16.7           220  97.3 %%      1  %#7" PRIx64
		 "  annotated_loop\n",
		 address_of("annotated_loop") + 2);
	assert_non_null(strstr(output, row));
	snprintf(row, sizeof(row),
		 "        2          10    5.0           180  97.8 %%      1  %#7" PRIx64
		 "  nested\n"
		 "       10          70    7.0           140  76.1 %%      2  %#7" PRIx64
		 "  nested\n",
		 nested_at + 2, nested_at + 4);
	assert_non_null(strstr(output, row));
	assert_non_null(strstr(output, "\nExecuted without counts of blocks, and left "
				       "out: 1 function\n"));
	free(output);
	free(errors);
}

static void test_json(void **state)
{
	char *output, *errors, row[512];
	uint64_t nested_at = address_of("nested");

	(void)state;
	write_profile();
	assert_int_equal(run_command(&cmd_loops, "--json --sort trips a.trm *nested",
				     &output, &errors),
			 0);
	snprintf(row, sizeof(row),
		 "\"offset\": \"0x%" PRIx64 "\", \"header\": \"0x%" PRIx64
		 "\", \"parent\": \"0x%" PRIx64
		 "\", \"depth\": 2, \"blocks\": 1, \"entries\": 10, \"iterations\": 70, "
		 "\"instructions\": 140},\n",
		 nested_at, nested_at + 4, nested_at + 2);
	assert_non_null(strstr(output, row));
	assert_non_null(strstr(output, "\"depth\": 1, \"blocks\": 3, \"entries\": 2, "
				       "\"iterations\": 10, \"instructions\": 180}],"));
	assert_null(strstr(output, "annotated_loop"));
	free(output);
	free(errors);
}

static void test_refused(void **state)
{
	(void)state;
	write_profile();
	check_command(&cmd_loops, "a.trm a b", 2, "",
		      "trammel: a profile is needed, and perhaps a function: trammel "
		      "loops FILE [FUNCTION]\n");
	check_command(&cmd_loops, "a.trm gone*", 2, "",
		      "trammel: no function 'gone*' was executed: trammel report --all "
		      "shows those that were\n");
	check_command(&cmd_loops, "--sort=trip a.trm", 2, "",
		      "trammel: --sort 'trip' is unknown: did you mean 'trips'?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_refused),
	};

	if (annotated_loop(5) != 7 || nested(5, 7) != 3 || annotated_odd(1))
		return 1;
	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
