/* What tools recorded and probes found, in reports, merged profiles and differences. */
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "report/load.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NUMBER = RECORD_AS_VALUE | RECORD_AGGREGATABLE };

static struct record_pair number(struct maker *maker, const char *name,
				 struct record_value value)
{
	return (struct record_pair){
		record_attribute_make(maker->model, name, value.type, NUMBER), value};
}

static record_node below(struct maker *maker, record_node node, const char *name,
			 struct record_value value)
{
	return record_node_child(maker->model, node, attribute(maker, name, value.type),
				 value);
}

/* A miss at a line of a function, read with a key. */
static void add_miss(struct maker *maker, const char *function, uint64_t line,
		     const char *kind, const int64_t numbers[3])
{
	record_node node = function_node(maker, ZIP, function);
	const struct record_pair pairs[] = {
		pair(maker, "image", record_uint(maker->image)),
		number(maker, "tool.records", record_uint(1)),
		pair(maker, "offset", record_address(0x1000)),
		pair(maker, "code.address", record_address(0x1000 + 4 * line)),
		number(maker, "cache#loads", record_int(numbers[0])),
		number(maker, "cache#max#size", record_int(numbers[1])),
		number(maker, "cache#min#size", record_int(numbers[2])),
		number(maker, "cache#part",
		       (struct record_value){.type = RECORD_DOUBLE, .d = 0.25}),
	};

	node = below(maker, node, "tool", record_string("cache"));
	node = below(maker, node, "tool.table", record_string("misses"));
	node = below(maker, node, "source.file", record_string("/src/zip.c"));
	node = below(maker, node, "source.line", record_uint(line));
	node = below(maker, node, "cache#kind", record_string(kind));
	trm_writer_record(maker->writer, node, pairs, 8);
}

static void add_total(struct maker *maker, int64_t loads)
{
	record_node node = below(maker, 0, "tool", record_string("cache"));
	const struct record_pair pairs[] = {
		pair(maker, "image", record_uint(maker->image)),
		number(maker, "tool.records", record_uint(1)),
		number(maker, "cache#loads", record_int(loads)),
	};

	node = below(maker, node, "tool.table", record_string("totals"));
	trm_writer_record(maker->writer, node, pairs, 3);
}

static void add_probe(struct maker *maker, const char *key, uint64_t hits, int64_t sum)
{
	record_node node = below(maker, 0, "probe", record_string("zip:deflate"));
	struct record_pair pairs[] = {
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "probe.number", record_uint(1)),
		number(maker, "probe.hits", record_uint(hits)),
		number(maker, "probe.sum", record_int(sum)),
		pair(maker, "probe.kind", record_string("sum")),
	};

	node = below(maker, node, "probe.name", record_string("bytes"));
	if (key)
		node = below(maker, node, "probe.key#name", record_string(key));
	trm_writer_record(maker->writer, node, pairs, key ? 4 : 5);
}

static void write_profile(const char *path, const char *measure, bool second)
{
	struct maker maker = begin_profile(path, false);

	add_global(&maker, "run.command", record_string("zip"));
	add_global(&maker, "run.measure", record_string(measure));
	add_global(&maker, "run.exit", record_string("0"));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, ZIP, 1, "exited 0", NULL);
		add_module(&maker, ZIP, 40);
		add_miss(&maker, "deflate", 12, "read",
			 (const int64_t[]){second ? 30 : 10, (int64_t)process * 8, 8});
		add_miss(&maker, "main", 7, "read", (const int64_t[]){100, 4, -4});
		if (second)
			add_miss(&maker, "main", 9, "new", (const int64_t[]){1, 1, 1});
		add_total(&maker, -3);
		add_probe(&maker, NULL, 5, 0);
		add_probe(&maker, "a", 5, second ? 60 : 50);
	}
	end_profile(&maker);
}

static void check_has(const struct command *command, const char *words, int status,
		      const char *const *parts)
{
	char *output, *errors;

	assert_int_equal(run_command(command, words, &output, &errors), status);
	for (; *parts; parts++)
		if (!strstr(output, *parts))
			fail_msg("%s is not in:\n%s%s", *parts, output, errors);
	free(output);
	free(errors);
}

static void test_report(void **state)
{
	(void)state;
	write_profile("a.trm", "tools", false);
	check_has(&cmd_report, "a.trm", 0,
		  (const char *const[]){
			  "\ncache: misses\n"
			  "  loads  most size  least size  part  kind  Module  Place     "
			  "Function\n"
			  "    200          4          -4   0.5  read  zip     zip.c:7   "
			  "main\n"
			  "     20         16           8   0.5  read  zip     zip.c:12  "
			  "deflate\n",
			  "\ncache: totals\n  loads\n     -6\n",
			  "zip:deflate\n  bytes: sum 100 of 10 hits\n", NULL});
	check_has(&cmd_report, "--limit=1 --process=2 a.trm", 0,
		  (const char *const[]){"    100          4          -4  0.25  read",
					"... 1 more row (--all shows it)", NULL});
	check_has(&cmd_report, "--json a.trm", 0,
		  (const char *const[]){"\"tools\": [",
					"\"tool\": \"cache\", \"tool.table\": \"misses\"",
					"\"code.address\": \"0x1030\"",
					"\"cache#max#size\": 16", "\"source.line\": 12",
					NULL});
}

static void test_merge(void **state)
{
	(void)state;
	write_profile("a.trm", "tools", false);
	write_profile("b.trm", "tools", true);
	check_has(&cmd_merge, "-o m.trm a.trm b.trm", 0, (const char *const[]){NULL});
	check_has(&cmd_report, "m.trm", 0,
		  (const char *const[]){
			  "    400          4          -4     1  read  zip     zip.c:7",
			  "     80         16           8     1  read  zip     zip.c:12",
			  "      2          1           1   0.5  new   zip     zip.c:9",
			  "  loads\n    -12\n", "bytes: sum 220 of 20 hits\n", NULL});
}

static void test_diff(void **state)
{
	(void)state;
	write_profile("a.trm", "tools", false);
	write_profile("b.trm", "tools", true);
	check_has(
		&cmd_diff, "a.trm b.trm", 1,
		(const char *const[]){
			"cache: misses\n"
			"   A    B  Difference    Change  Number      Row\n"
			"  20   60         +40  +200.0 %  loads       zip:deflate "
			"zip.c:12, read\n"
			"   0    2          +2       new  loads       zip:main zip.c:9, "
			"new\n",
			"5 numbers differ; 8 do not\n", NULL});
	check_has(
		&cmd_diff, "--by=probe a.trm b.trm", 1,
		(const char *const[]){"zip:deflate: bytes\n"
				      "    A    B  Difference   Change  Number  Row\n"
				      "  100  120         +20  +20.0 %  sum     (all)\n",
				      "2 numbers differ; 2 do not\n", NULL});
	check_has(&cmd_diff, "--by=probe --threshold=20 a.trm b.trm", 0,
		  (const char *const[]){"0 numbers differ; 4 do not (by more than 20 %)",
					NULL});
	check_has(&cmd_diff, "--json a.trm b.trm", 1,
		  (const char *const[]){"\"by\": \"tool\"", "\"difference\": 40",
					"\"state\": \"new\"", NULL});
	check_has(&cmd_diff, "a.trm a.trm", 0,
		  (const char *const[]){"0 numbers differ; 9 do not\n", NULL});
}

/* Many records of the same places are added up while they are read. */
static void test_many(void **state)
{
	enum { TIMES = 15000, PLACES = 5 };
	struct maker maker = begin_profile("a.trm", false);
	struct report_profile *profile;
	uint64_t blocks = 0, edges = 0, arcs = 0;

	(void)state;
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	for (uint64_t i = 0; i < TIMES * PLACES; i++) {
		const uint64_t at = 0x1000 + 16 * (i % PLACES);

		add_block(&maker, ZIP, "main", 0x1000, (const uint64_t[]){at, 4, 2, i});
		add_edge(&maker, ZIP, "main", 0x1000, "jump",
			 (const uint64_t[]){at + 2, at, 0x1000, i});
		add_arc(&maker, ZIP, "deflate", 0x2000,
			(const char *const[]){ZIP, "main", "call"},
			(const uint64_t[]){0x1000, at, i});
	}
	end_profile(&maker);
	assert_null(report_profile_load("a.trm", &profile));
	assert_int_equal(profile->blocks.count, PLACES);
	assert_int_equal(profile->edges.count, PLACES);
	assert_int_equal(profile->arcs.count, PLACES);
	assert_true(profile->blocks.capacity < TIMES * PLACES * 2);
	vector_for_each (&profile->blocks, block)
		blocks += block->count;
	vector_for_each (&profile->edges, edge)
		edges += edge->count;
	vector_for_each (&profile->arcs, arc)
		arcs += arc->count;
	const uint64_t all = (uint64_t)TIMES * PLACES;

	assert_int_equal(blocks, all * (all - 1) / 2);
	assert_int_equal(edges, blocks);
	assert_int_equal(arcs, blocks);
	report_profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
