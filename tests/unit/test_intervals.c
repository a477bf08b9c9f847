/* Reports on parts of runs: profiles are written here with the writer. */

#include "record/trm_writer.h"
#include "record/value.h"
#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define PROFILE "sample.trm"

static void add_interval(struct maker *maker, uint64_t number, uint64_t start,
			 uint64_t end)
{
	struct record_pair pairs[] = {
		pair(maker, "interval", record_uint(number)),
		pair(maker, "interval.start.ns", record_uint(start)),
		pair(maker, "interval.end.ns", record_uint(end)),
	};

	trm_writer_record(maker->writer, 0, pairs, 3);
}

static void add_calls_in(struct maker *maker, uint64_t interval, const char *path,
			 const char *name, uint64_t calls)
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(0x1000)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "calls", record_uint(calls)),
		pair(maker, "interval", record_uint(interval)),
	};

	trm_writer_record(maker->writer, function_node(maker, path, name), pairs, 4);
}

/* Two processes; the intervals come behind their counts, the second one first. */
static void write_intervals(const char *window)
{
	struct maker maker = begin_profile(PROFILE, false);

	add_global(&maker, "run.command", record_string("zip"));
	add_global(&maker, "run.measure", record_string("functions"));
	add_global(&maker, "run.exit", record_string("running"));
	add_global(&maker, "run.window", record_string(window));
	add_global(&maker, "window.start.ns", record_uint(2000000000));
	add_global(&maker, "window.end.ns", record_uint(3250000000));
	add_global(&maker, "run.unmatched", record_string("--only 'a' means nothing"));
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 10);
	add_module(&maker, LIBC, 10);
	add_calls_in(&maker, 2, ZIP, "deflate", 30);
	add_calls_in(&maker, 1, ZIP, "deflate", 10);
	add_calls_in(&maker, 2, LIBC, "free", 20);
	add_image(&maker, 2, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 10);
	add_calls_in(&maker, 2, ZIP, "deflate", 40);
	add_interval(&maker, 2, 3000000000, 3250000000);
	add_interval(&maker, 1, 2000000000, 3000000000);
	end_profile(&maker);
}

static void expect_lines(const char *words, const char *const *lines)
{
	char *output = NULL, *errors = NULL;

	assert_int_equal(run_command(&cmd_report, words, &output, &errors), 0);
	for (; *lines; lines++)
		if (!strstr(output, *lines))
			fail_msg("report %s: no \"%s\" in:\n%s", words, *lines, output);
	free(output);
	free(errors);
}

static void test_intervals(void **state)
{
	(void)state;
	write_intervals("--after 2s --interval 1s");
	expect_lines("--by interval " PROFILE,
		     (const char *const[]){
			     "  still running, 2 processes, 2 threads\n"
			     "  counted from 2.000 s to 3.250 s (--after 2s --interval "
			     "1s)\n"
			     "  warning: --only 'a' means nothing\n",
			     "  Interval  From s   To s  Calls   Share\n"
			     "         1   2.000  3.000     10  10.0 %\n"
			     "         2   3.000  3.250     90  90.0 %\n",
			     "100 calls", NULL});
	/* Of a selection. */
	expect_lines("--by interval --process 1 --module zip -n1 " PROFILE,
		     (const char *const[]){"         1   2.000  3.000     10  25.0 %\n"
					   "  ... 1 more interval (--all shows it)\n",
					   NULL});
	expect_lines("--by interval --json " PROFILE,
		     (const char *const[]){
			     "{\"interval\": 1, \"interval.start.ns\": 2000000000, "
			     "\"interval.end.ns\": 3000000000, \"calls\": 10},\n",
			     "{\"interval\": 2, \"interval.start.ns\": 3000000000, "
			     "\"interval.end.ns\": 3250000000, \"calls\": 90}]",
			     NULL});
}

/* All of them are added up, or one is chosen. */
static void test_one_interval(void **state)
{
	(void)state;
	write_intervals("--interval 1s");
	expect_lines(PROFILE,
		     (const char *const[]){"     80  80.0 %  zip        deflate\n"
					   "     20  20.0 %  libc.so.6  free\n",
					   NULL});
	expect_lines("--interval 1 " PROFILE,
		     (const char *const[]){"     10  100.0 %  zip     deflate\n",
					   "1 function executed, 10 calls\n", NULL});
	expect_lines("--interval 2 " PROFILE,
		     (const char *const[]){"     70  77.8 %  zip        deflate\n"
					   "     20  22.2 %  libc.so.6  free\n",
					   NULL});
	check_command(&cmd_report, "--interval 3 " PROFILE, 2, "",
		      "trammel: no interval 3 in 'sample.trm': --by interval shows "
		      "those that are\n");
	check_command(&cmd_report, "--interval 0 " PROFILE, 2, "",
		      "trammel: --interval '0' is not a number from 1 up\n");
}

static void add_calls_of(struct maker *maker, uint64_t thread, const char *path,
			 uint64_t calls)
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(0x1000)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "calls", record_uint(calls)),
		pair(maker, "thread", record_uint(thread)),
	};

	trm_writer_record(maker->writer, function_node(maker, path, "f"), pairs, 4);
}

static void test_threads(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);

	(void)state;
	add_global(&maker, "run.command", record_string("zip"));
	add_global(&maker, "run.measure", record_string("functions"));
	add_image(&maker, 7, ZIP, 2, "exited 0", NULL);
	add_module(&maker, ZIP, 10);
	add_calls_of(&maker, 7, ZIP, 10);
	add_calls_of(&maker, 8, ZIP, 60);
	add_calls_of(&maker, 7, LIBC, 10);
	add_image(&maker, 9, ZIP, 1, "exited 0", NULL);
	add_calls_of(&maker, 9, ZIP, 20);
	end_profile(&maker);
	expect_lines("--by thread " PROFILE,
		     (const char *const[]){"  Calls   Share  Process  Thread  Program\n"
					   "     60  60.0 %        7       8  " ZIP "\n"
					   "     20  20.0 %        7       7  " ZIP "\n"
					   "     20  20.0 %        9       9  " ZIP "\n",
					   NULL});
	expect_lines("--by thread --process 7 --module zip -n1 " PROFILE,
		     (const char *const[]){"     60  85.7 %        7       8  " ZIP "\n"
					   "  ... 1 more thread (--all shows it)\n",
					   NULL});
	expect_lines(
		"--by thread --json --process 9 " PROFILE,
		(const char *const[]){"\"rows\": [\n  {\"image\": 2, \"process\": 9, "
				      "\"thread\": 9, \"calls\": 20}],\n",
				      NULL});
	write_intervals("--interval 1s");
	check_command(
		&cmd_report, "--by thread " PROFILE, 2, "",
		"trammel: no counts of single threads in 'sample.trm': measure with "
		"trammel run --threads\n");
}

static void test_no_intervals(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);

	(void)state;
	add_global(&maker, "run.command", record_string("zip"));
	add_global(&maker, "run.measure", record_string("functions"));
	add_global(&maker, "run.window", record_string("--start-at x"));
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	end_profile(&maker);
	check_command(&cmd_report, "--by interval " PROFILE, 2, "",
		      "trammel: no intervals in 'sample.trm': measure with trammel run "
		      "--interval 1s\n");
	check_command(&cmd_report, "--check " PROFILE, 2, "",
		      "trammel: 'sample.trm' is of a part of a run, which begins in the "
		      "middle of functions: only counts of whole runs can be checked\n");
	expect_lines(PROFILE, (const char *const[]){
				      "  nothing was counted: what counting begins with "
				      "did not happen (--start-at x)\n",
				      NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_one_interval),
		cmocka_unit_test(test_no_intervals),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
