/* `trammel db`: numbers that are known, added, asked, compacted, exported. */
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void add_built(struct maker *maker, const char *path, const char *build)
{
	const struct record_pair pairs[] = {
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "module", record_string(strrchr(path, '/') + 1)),
		pair(maker, "module.path", record_string(path)),
		pair(maker, "buildid", record_string(build)),
		pair(maker, "functions.known", record_uint(9)),
		pair(maker, "functions.instrumented", record_uint(8)),
	};

	trm_writer_record(maker->writer, 0, pairs, 6);
}

static struct maker begin_run(const char *path, const char *start, const char *measure)
{
	struct maker maker = begin_profile(path, false);

	add_global(&maker, "run.command", record_string("zip a b"));
	add_global(&maker, "run.measure", record_string(measure));
	add_global(&maker, "run.start", record_string(start));
	add_global(&maker, "host", record_string("elm"));
	add_global(&maker, "run.exit", record_string("0"));
	add_image(&maker, 10, ZIP, 1, "exited 0", NULL);
	return maker;
}

/* A run of one process, in which main was called `calls` times. */
static void write_run(const char *path, const char *start, const char *build,
		      uint64_t calls)
{
	struct maker maker = begin_run(path, start, "functions");

	add_built(&maker, ZIP, build);
	add_calls(&maker, ZIP, "main", 0x1000, calls);
	add_calls(&maker, ZIP, "pack", 0x1100, 5);
	end_profile(&maker);
}

#define DAY(n) "2026-11-0" #n "T08:00:00Z"

static void write_three(void)
{
	write_run("a.trm", DAY(2), "aaaa1111", 10);
	write_run("b.trm", DAY(3), "aaaa1111", 20);
	write_run("c.trm", DAY(4), "aaaa1111", 30);
}

/* Runs the command, of which only the status matters; what it says must have `words`. */
static void check_says(const char *line, int status, const char *words)
{
	char *output, *errors;

	assert_int_equal(run_command(&cmd_db, line, &output, &errors), status);
	if (!strstr(output, words) && !strstr(errors, words))
		fail_msg("'%s' is not in: %s%s", words, output, errors);
	free(output);
	free(errors);
}

static void add_three(void)
{
	write_three();
	check_command(&cmd_db, "add --db p.db a.trm b.trm c.trm", 0,
		      "a.trm: run 1, 2 numbers\n"
		      "b.trm: run 2, 2 numbers\n"
		      "c.trm: run 3, 2 numbers\n",
		      "");
}

static void test_top(void **state)
{
	(void)state;
	add_three();
	check_command(&cmd_db, "top --db p.db", 0,
		      "calls of 3 runs: 75\n\n"
		      "  calls  share    cum.  function  image         address\n"
		      "     60  80.0%   80.0%  main      /usr/bin/zip   0x1000\n"
		      "     15  20.0%  100.0%  pack      /usr/bin/zip   0x1100\n",
		      "");
	check_command(&cmd_db, "top --db p.db --by epoch --epoch 2026110[34] --json", 0,
		      "{\"top\": [\n"
		      "  {\"value\": 35, \"percent\": 58.333333333333336, "
		      "\"cumulative\": 58.333333333333336, \"epoch\": \"20261104\"},\n"
		      "  {\"value\": 25, \"percent\": 41.666666666666664, "
		      "\"cumulative\": 100, \"epoch\": \"20261103\"}\n]}\n",
		      "");
	check_says("top --db p.db --run 2 --function ma*", 0, "20  100.0%  100.0%  main");
	check_says("top --db p.db --event nothing", 2, "has no event 'nothing'");
	check_says("top --db p.db --host oak", 2, "has no such run");
}

static void test_statistics(void **state)
{
	(void)state;
	add_three();
	/* 10, 20 and 30: their deviation is 10. */
	check_command(
		&cmd_db, "stats --db p.db", 0,
		"calls in 3 runs\n\n"
		"  total  mean  deviation   dev.  least  most   range  function  image\n"
		"     60    20         10  50.0%     10    30  100.0%  main      "
		"/usr/bin/zip\n"
		"     15     5          0   0.0%      5     5    0.0%  pack      "
		"/usr/bin/zip\n",
		"");
}

static void write_samples(const char *path, const char *start, uint64_t count)
{
	struct maker maker = begin_run(path, start, "samples");
	const struct record_pair pairs[] = {
		pair(&maker, "image", record_uint(maker.image)),
		pair(&maker, "offset", record_address(0x1000)),
		pair(&maker, "event", record_string("clock")),
		pair(&maker, "sample.address", record_address(0x1008)),
		pair(&maker, "samples", record_uint(count)),
		pair(&maker, "sample.events", record_uint(count * 1000)),
	};

	add_built(&maker, ZIP, "aaaa1111");
	trm_writer_record(maker.writer, function_node(&maker, ZIP, "main"), pairs, 6);
	end_profile(&maker);
}

/* 100 and 200 samples are 100 / sqrt(300) = 5.77 deviations apart. */
static void test_difference(void **state)
{
	(void)state;
	write_samples("s.trm", DAY(2), 100);
	write_samples("t.trm", DAY(3), 200);
	check_says("add --db p.db --label old s.trm", 0, "run 1");
	check_says("add --db p.db --label new t.trm", 0, "run 2");
	check_command(&cmd_db, "diff --db p.db old new", 1,
		      "samples:clock a run: A of 1, B of 1 runs\n\n"
		      "    A    B  B - A  B / A  sigma  function  image\n"
		      "  100  200    100      2   5.77  main      /usr/bin/zip\n",
		      "");
	check_says("diff --db p.db old 1", 0, "B of 1 runs");
	check_says("diff --db p.db 20261102 20261103 --event clock", 1, "100,000");
	check_says("list --db p.db main", 0, "0x1008  samples:clock      300");
	check_says("diff --db p.db old newest", 2, "has no label and no epoch 'newest'");
}

/* Two builds of a file are two images; the same profile is refused. */
static void test_builds(void **state)
{
	(void)state;
	add_three();
	write_run("d.trm", DAY(4), "bbbb2222", 40);
	check_says("add --db p.db d.trm", 0, "run 4");
	check_says("top --db p.db --by image --image bbbb", 0, "45  100.0%");
	check_says("images --db p.db --json", 0, "bbbb2222");
	check_says("add --db p.db d.trm", 2, "already, as run 4");
	check_says("add --db p.db --again d.trm", 0, "run 5");
}

/* Numbers of 64 bits with a sign: what does not fit is refused, with nothing added. */
static void test_too_large(void **state)
{
	struct maker maker;

	(void)state;
	add_three();
	write_run("l.trm", DAY(4), "aaaa1111", 1ull << 63);
	check_says("add --db p.db l.trm", 4, "'calls' is 9223372036854775808");
	maker = begin_run("l.trm", DAY(4), "functions");
	add_calls(&maker, ZIP, "main", 0x1000, 3ull << 61);
	add_calls(&maker, ZIP, "main", 0x1000, 3ull << 61);
	end_profile(&maker);
	check_says("add --db p.db l.trm", 4, "exceeds 2^63 - 1");
	check_says("top --db p.db", 0, "calls of 3 runs: 75");
	write_run("l.trm", DAY(4), "aaaa1111", INT64_MAX);
	check_says("add --db p.db l.trm", 0, "run 4");
	check_says("top --db p.db", 4, "exceeds 2^63 - 1");
	check_says("check --db p.db", 0, "is sound");
}

/* Three days of a week become one run, and another build another one. */
static void test_compaction(void **state)
{
	(void)state;
	add_three();
	write_run("d.trm", DAY(5), "bbbb2222", 40);
	write_run("e.trm", "2026-11-20T08:00:00Z", "bbbb2222", 50);
	check_says("add --db p.db d.trm e.trm", 0, "run 5");
	check_says("gc --db p.db --now 2026-11-21 --dry-run", 0,
		   "would be: 0 runs deleted, 4 compacted into 2; 6 numbers, 10 before");
	check_says("epochs --db p.db", 0, "20261103");
	check_says("gc --db p.db --now 2026-11-21", 0, "4 compacted into 2");
	check_says("gc --db p.db --now 2026-11-21", 0, "0 compacted into 0");
	check_says("check --db p.db", 0, "is sound");
	check_says("epochs --db p.db", 0, "2026-W45  week     4");
	check_says("top --db p.db", 0, "calls of 5 runs: 175");
	check_says("merge --db o.db p.db", 0, "3 runs added, 0 profiles");
	check_says("merge --db o.db p.db", 0, "0 runs added, 3 profiles");
	check_says("top --db o.db", 0, "calls of 5 runs: 175");
	check_says("epochs --db o.db", 0, "2026-W45  week     4");
	check_says("top --db p.db --image aaaa1111", 0, "60  80.0%");
	check_says("export --db p.db --epoch 2026-W45 --image aaaa1111 -o w.trm", 0, "");
	check_says("add --db q.db w.trm", 0, "run 1");
	check_says("top --db q.db", 0, "calls of 1 run: 75");
	check_says("gc --db p.db --now 2026-12-31 --remove-after 30 --keep 1", 0,
		   "2 runs deleted");
	check_says("top --db p.db", 0, "calls of 1 run: 55");
	check_says("check --db p.db", 0, "is sound");
}

static void test_merge(void **state)
{
	(void)state;
	add_three();
	check_says("add --db o.db --label old --epoch first a.trm", 0, "run 1");
	write_run("d.trm", DAY(5), "bbbb2222", 40);
	check_says("add --db o.db --label old --epoch first d.trm", 0, "run 2");
	check_says("merge --db p.db o.db", 0,
		   "1 runs added, 1 profiles were there already");
	check_says("top --db p.db --label old --epoch first", 0, "of 1 run: 45");
	check_says("label --db p.db --run 1-3 old", 0, "3 runs changed");
	check_says("top --db p.db --label o*", 0, "of 4 runs: 120");
	check_says("label --db p.db --run 4 --remove old", 0, "1 runs changed");
	check_says("top --db p.db --label old", 0, "of 3 runs: 75");
	check_says("check --db p.db", 0, "is sound");
}

/* What is exported gives the reports of what was added. */
static void test_export(void **state)
{
	char *expected, *got, *errors;

	(void)state;
	add_three();
	assert_int_equal(
		run_command(&cmd_merge, "-o all.trm a.trm b.trm c.trm", &got, &errors),
		0);
	free(got);
	free(errors);
	assert_int_equal(run_command(&cmd_report, "all.trm", &expected, &errors), 0);
	free(errors);
	check_command(&cmd_db, "export --db p.db -o all.trm", 0, "", "");
	assert_int_equal(run_command(&cmd_report, "all.trm", &got, &errors), 0);
	assert_string_equal(got, expected);
	assert_non_null(strstr(got, "main"));
	free(errors);
	free(got);
	free(expected);
	write_samples("s.trm", DAY(2), 100);
	check_says("add --db p.db s.trm", 0, "run 4");
	check_says("export --db p.db -o all.trm", 2, "measured different things");
	check_says("export --db p.db", 2, "trammel db export -o FILE");
}

static void test_usage(void **state)
{
	(void)state;
	unsetenv("TRAMMEL_DB");
	check_says("top", 2, "--db FILE, or set TRAMMEL_DB");
	check_says("gc --db p.db --now yesterday", 2, "is not a day");
	check_says("tap --db p.db", 2, "trammel db has no 'tap'");
	check_says("diff --db p.db a", 2, "Usage: trammel db diff A B");
	check_says("top --db p.db", 4, "No such file");
	check_says("top --db postgresql://me:word@/x?host=/nowhere", 4,
		   "postgresql://me:***@/x?host=/nowhere");
}

/* Each test begins without any. */
static int remove_databases(void **state)
{
	(void)state;
	unlink("p.db");
	unlink("o.db");
	unlink("q.db");
	return 0;
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, remove_databases)
	const struct CMUnitTest tests[] = {
		TEST(test_top),    TEST(test_statistics), TEST(test_difference),
		TEST(test_builds), TEST(test_too_large),  TEST(test_compaction),
		TEST(test_merge),  TEST(test_export),     TEST(test_usage),
	};

	setenv("PAGER", "cat", 1);
	if (!cmd_db.run)
		return 77; /* without SQLite */
	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
