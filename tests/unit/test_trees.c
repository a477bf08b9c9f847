/* Calls in their contexts: in reports and in graphs. */
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "profile_maker.h"
#include "run_command.h"
#include "record/trm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A call of a function of ZIP below a node; its time in ns, -1: it has none. It is of an
 * interval, unless that is 0. */
static record_node add_context_in(struct maker *maker, uint64_t interval,
				  record_node parent, const char *name, uint64_t calls,
				  int64_t ns)
{
	record_node node = record_node_child(
		maker->model, parent, attribute(maker, "graph.path", RECORD_STRING),
		record_string(ZIP));
	struct record_pair pairs[5] = {
		pair(maker, "offset",
		     record_address(0x1000 + 0x100 * (uint64_t)(name[0] - 'a'))),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "graph.calls", record_uint(calls)),
	};
	size_t count = 3;

	if (ns >= 0)
		pairs[count++] =
			pair(maker, "graph.time.exclusive.ns", record_uint((uint64_t)ns));
	if (interval)
		pairs[count++] = pair(maker, "interval", record_uint(interval));

	node = record_node_child(maker->model, node,
				 attribute(maker, "graph.offset", RECORD_ADDRESS),
				 pairs[0].value);
	node = record_node_child(maker->model, node,
				 attribute(maker, "graph.function", RECORD_STRING),
				 record_string(name));
	trm_writer_record(maker->writer, node, pairs, count);
	return node;
}

static record_node add_context(struct maker *maker, record_node parent, const char *name,
			       uint64_t calls, int64_t ns)
{
	return add_context_in(maker, 0, parent, name, calls, ns);
}

/* Two processes do the same: a calls b, which calls itself; and c, which has no time. */
static void write_profile(void)
{
	struct maker maker = begin_profile("t.trm", false);

	add_global(&maker, "run.command", record_string("zip"));
	add_global(&maker, "run.measure", record_string("callgraph"));
	for (uint64_t process = 1; process <= 2; process++) {
		record_node a, b;

		add_image(&maker, process, ZIP, 1, "exited 0", NULL);
		add_module(&maker, ZIP, 40);
		add_calls(&maker, ZIP, "a", 0x1000, 1);
		add_calls(&maker, ZIP, "b", 0x1100, 5);
		add_calls(&maker, ZIP, "c", 0x1200, 70);
		a = add_context(&maker, 0, "a", 1, 1000000);
		add_context(&maker, a, "c", 60, -1);
		b = add_context(&maker, a, "b", 2, 2000000);
		add_context(&maker, b, "c", 10, -1);
		add_context(&maker, b, "b", 3, 500000);
	}
	end_profile(&maker);
}

static void check_lines(const struct command *command, const char *words,
			const char *const *lines)
{
	char *output, *errors;

	assert_int_equal(run_command(command, words, &output, &errors), 0);
	assert_string_equal(errors, "");
	for (; *lines; lines++)
		if (!strstr(output, *lines))
			fail_msg("no line '%s' in\n%s", *lines, output);
	free(output);
	free(errors);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_tree(void **state)
{
	(void)state;
	write_profile();
	check_lines(&cmd_report, "--by callgraph t.trm",
		    LINES("  Calls  Inclusive    Share  Exclusive   Share  Function\n"
			  "      2     7.0 ms  100.0 %     2.0 ms  28.6 %  a\n"
			  "      4     5.0 ms   71.4 %     4.0 ms  57.1 %    b\n"
			  "      6     1.0 ms   14.3 %     1.0 ms  14.3 %      b\n"
			  "     20          ?                   ?              c\n"
			  "    120          ?                   ?            c\n"));
	/* The rows that took longest, with what is around them. */
	check_lines(&cmd_report, "--by callgraph -n2 --process 2 t.trm",
		    LINES("      1     3.5 ms  100.0 %     1.0 ms  28.6 %  a\n"
			  "      2     2.5 ms   71.4 %     2.0 ms  57.1 %    b\n"
			  "  ... 3 more contexts"));
}

/* What calls itself is in its own time once. */
static void test_functions(void **state)
{
	(void)state;
	write_profile();
	check_lines(&cmd_report, "t.trm",
		    LINES("  Calls   Share  Inclusive  Exclusive  Module  Function\n"
			  "    140  92.1 %          ?          ?  zip     c\n"
			  "     10   6.6 %     5.0 ms     5.0 ms  zip     b\n"
			  "      2   1.3 %     7.0 ms     2.0 ms  zip     a\n"));
}

static void test_json(void **state)
{
	(void)state;
	write_profile();
	check_lines(&cmd_report, "--by callgraph --json t.trm",
		    LINES("\"function\": \"b\", \"offset\": \"0x1100\", \"context\": 3, "
			  "\"parent\": 2, \"calls\": 6, \"time.inclusive.ns\": 1000000, "
			  "\"time.exclusive.ns\": 1000000}",
			  "\"context\": 1, \"calls\": 2, ",
			  "\"context\": 5, \"parent\": 1, \"calls\": 120}"));
	check_lines(
		&cmd_report, "--json t.trm",
		LINES("\"function\": \"b\", \"offset\": \"0x1100\", \"calls\": 10, "
		      "\"time.inclusive.ns\": 5000000, \"time.exclusive.ns\": 5000000}",
		      "\"function\": \"c\", \"offset\": \"0x1200\", \"calls\": 140}"));
}

/* Calls of one function by another in all contexts are arcs. */
static void test_arcs(void **state)
{
	(void)state;
	write_profile();
	check_lines(&cmd_report, "--by arc t.trm",
		    LINES("    120  78.9 %  zip                ?  a       context  zip   "
			  "  c\n",
			  "     20  13.2 %  zip                ?  b       context  zip   "
			  "  c\n",
			  "      6   3.9 %  zip                ?  b       context  zip   "
			  "  b\n",
			  "      4   2.6 %  zip                ?  a       context  zip   "
			  "  b\n",
			  "      2   1.3 %  ?                  ?  ?       context  zip   "
			  "  a\n"));
	check_lines(&cmd_graph, "--calls t.trm",
		    LINES("[label=\"b\\nzip\\n10 calls\\n5.0 ms, itself 5.0 ms\"];\n",
			  "[label=\"c\\nzip\\n140 calls\"];\n"));
}

/* A call that was under way when the second interval began has none in it, but time. */
static void test_interval(void **state)
{
	struct maker maker = begin_profile("i.trm", false);

	(void)state;
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_calls(&maker, ZIP, "a", 0x1000, 1);
	for (uint64_t i = 1; i <= 2; i++) {
		struct record_pair pairs[] = {
			pair(&maker, "interval", record_uint(i)),
			pair(&maker, "interval.start.ns", record_uint(i * 1000)),
			pair(&maker, "interval.end.ns", record_uint(i * 1000 + 1000)),
		};
		record_node a = add_context_in(&maker, i, 0, "a", i == 1, 3000000);

		add_context_in(&maker, i, a, "b", 10 * i, 1000000);
		trm_writer_record(maker.writer, 0, pairs, 3);
	}
	end_profile(&maker);
	check_lines(&cmd_report, "--by callgraph i.trm",
		    LINES("      1     8.0 ms  100.0 %     6.0 ms  75.0 %  a\n"
			  "     30     2.0 ms   25.0 %     2.0 ms  25.0 %    b\n"));
	check_lines(&cmd_report, "--by callgraph --interval 2 i.trm",
		    LINES("      0     4.0 ms  100.0 %     3.0 ms  75.0 %  a\n"
			  "     20     1.0 ms   25.0 %     1.0 ms  25.0 %    b\n"));
}

static void test_none(void **state)
{
	(void)state;
	struct maker maker = begin_profile("n.trm", false);

	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "a", 0x1000, 1);
	end_profile(&maker);
	check_command(
		&cmd_report, "--by callgraph n.trm", 2, "",
		"trammel: no call graph with contexts in 'n.trm': measure with trammel "
		"run -m callgraph\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),     cmocka_unit_test(test_functions),
		cmocka_unit_test(test_json),     cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_interval), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
