/* Calls by call site: in reports, in graphs, and checked. */
#include "record/value.h"
#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FROM(...)  ((const char *const[]){__VA_ARGS__})
#define COUNT(...) ((const uint64_t[]){__VA_ARGS__})

/* A process and its child do the same; `more` calls of malloc came from nowhere. */
static void write_profile(const char *measure, uint64_t more, const char *state)
{
	struct maker maker = begin_profile("a.trm", false);

	add_global(&maker, "run.command", record_string("zip"));
	add_global(&maker, "run.measure", record_string(measure));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, ZIP, 1, state, NULL);
		add_module(&maker, ZIP, 40);
		add_module(&maker, LIBC, 3000);
		add_calls(&maker, ZIP, "main", 0x1000, 1);
		add_calls(&maker, ZIP, "deflate", 0x1100, 30);
		add_calls(&maker, LIBC, "malloc", 0x8000, 12 + more);
		add_arc(&maker, ZIP, "main", 0x1000, FROM(LIBC, "start", "indirect"),
			COUNT(0x7000, 0x7010, 1));
		add_arc(&maker, ZIP, "deflate", 0x1100, FROM(ZIP, "main", "direct"),
			COUNT(0x1000, 0x1010, 10));
		add_arc(&maker, ZIP, "deflate", 0x1100, FROM(ZIP, "main", "direct"),
			COUNT(0x1000, 0x1020, 20));
		add_arc(&maker, LIBC, "malloc", 0x8000, FROM(ZIP, "deflate", "plt"),
			COUNT(0x1100, 0x1140, 7));
		add_arc(&maker, LIBC, "malloc", 0x8000, FROM(ZIP, NULL, "other"),
			COUNT(0, 0x1f00, 3));
		add_arc(&maker, LIBC, "malloc", 0x8000, FROM(NULL, NULL, "unknown"),
			COUNT(0, 0, 2));
	}
	end_profile(&maker);
}

static void check_lines(const char *words, const char *const *lines)
{
	char *output, *errors;

	assert_int_equal(run_command(&cmd_report, words, &output, &errors), 0);
	assert_string_equal(errors, "");
	for (; *lines; lines++)
		if (!strstr(output, *lines))
			fail_msg("no line '%s' in\n%s", *lines, output);
	free(output);
	free(errors);
}

static void test_table(void **state)
{
	(void)state;
	write_profile("calls", 0, "exited 0");
	check_lines(
		"--by arc a.trm",
		FROM("  Calls   Share  From module  Address  Caller   By        Module "
		     "    Function\n"
		     "     40  46.5 %  zip           0x1020  main     direct    zip    "
		     "    deflate\n"
		     "     20  23.3 %  zip           0x1010  main     direct    zip    "
		     "    deflate\n"
		     "     14  16.3 %  zip           0x1140  deflate  plt       "
		     "libc.so.6  malloc\n"
		     "      6   7.0 %  zip           0x1f00  ?        other     "
		     "libc.so.6  malloc\n"
		     "      4   4.7 %  ?                  ?  ?        unknown   "
		     "libc.so.6  malloc\n"
		     "      2   2.3 %  libc.so.6     0x7010  start    indirect  zip    "
		     "    main\n",
		     "\n3 functions executed, 86 calls\n", NULL));
	check_lines("--by arc --sort name -n1 --process 2 a.trm",
		    FROM("     20  46.5 %  zip           0x1020  main    direct  zip     "
			 "deflate\n"
			 "  ... 5 more call sites (--all shows them)\n",
			 NULL));
}

static void test_some(void **state)
{
	(void)state;
	write_profile("calls", 0, "exited 0");
	check_lines("--callers mall* a.trm",
		    FROM("     14  58.3 %  zip           0x1140  deflate  plt      "
			 "libc.so.6  malloc\n"
			 "      6  25.0 %  zip           0x1f00  ?        other    "
			 "libc.so.6  malloc\n"
			 "      4  16.7 %  ?                  ?  ?        unknown  "
			 "libc.so.6  malloc\n\n",
			 NULL));
	check_lines("--callees main --module zip a.trm",
		    FROM("     40  66.7 %  zip           0x1020  main    direct  zip     "
			 "deflate\n"
			 "     20  33.3 %  zip           0x1010  main    direct  zip     "
			 "deflate\n\n",
			 NULL));
	check_command(&cmd_report, "--callers x --by module a.trm", 2, "",
		      "trammel: --callers and --callees show arcs: not --by module\n");
}

static void test_json(void **state)
{
	(void)state;
	write_profile("calls", 0, "exited 0");
	check_lines("--by arc --json a.trm",
		    FROM("{\"module\": \"libc.so.6\", \"module.path\": \"" LIBC
			 "\", \"function\": \"malloc\", \"offset\": \"0x8000\", "
			 "\"caller.path\": \"" ZIP "\", \"caller\": \"deflate\", "
			 "\"caller.offset\": \"0x1100\", \"arc.site\": \"0x1140\", "
			 "\"arc.kind\": \"plt\", \"arc.count\": 14}",
			 "\"offset\": \"0x8000\", \"arc.kind\": \"unknown\", "
			 "\"arc.count\": 4}",
			 NULL));
}

static void test_check(void **state)
{
	(void)state;
	write_profile("calls", 0, "exited 0");
	check_command(&cmd_report, "--check a.trm", 0,
		      "0 functions, 0 blocks, 6 call sites checked: 0 counts that "
		      "cannot be, 0 blocks not left\n",
		      "");
	write_profile("calls", 1, "exited 0");
	check_command(&cmd_report, "--check a.trm", 1,
		      "0 functions, 0 blocks, 6 call sites checked: 1 count that "
		      "cannot be, 0 blocks not left\n"
		      "  Fault: libc.so.6 0x8000 malloc: 26 calls, at most 24 from all "
		      "call sites\n",
		      "");
	/* One thread of each process may have been between two counters. */
	write_profile("calls", 1, "killed by SIGKILL");
	check_command(&cmd_report, "--check a.trm", 0,
		      "0 functions, 0 blocks, 6 call sites checked: 0 counts that "
		      "cannot be, 0 blocks not left\n",
		      "");
	write_profile("calls", (uint64_t)-3, "exited 0");
	check_command(
		&cmd_report, "--check a.trm", 1,
		"0 functions, 0 blocks, 6 call sites checked: 1 count that "
		"cannot be, 0 blocks not left\n"
		"  Fault: libc.so.6 0x8000 malloc: 24 calls from all call sites, at most "
		"18 calls\n",
		"");
}

static void test_graph(void **state)
{
	(void)state;
	write_profile("calls", 0, "exited 0");
	check_command(&cmd_graph, "--calls --limit 2 a.trm", 0,
		      "digraph \"calls\" {\n"
		      "\t// the heaviest 2 of 5 edges\n"
		      "\tnode [shape=box, fontname=monospace];\n"
		      "\tf0 [label=\"main\\nzip\\n2 calls\"];\n"
		      "\tf1 [label=\"deflate\\nzip\\n60 calls\"];\n"
		      "\tf2 [label=\"malloc\\nlibc.so.6\\n24 calls\"];\n"
		      "\tf0 -> f1 [label=\"60\"];\n"
		      "\tf1 -> f2 [label=\"14\"];\n"
		      "}\n",
		      "");
	check_command(&cmd_graph, "--calls --json -n 1 a.trm", 0,
		      "{\"edges.all\": 5,\n\"edges\": [\n  {\"module\": \"zip\", "
		      "\"module.path\": \"" ZIP
		      "\", \"function\": \"deflate\", \"offset\": \"0x1100\", "
		      "\"caller.path\": \"" ZIP "\", \"caller\": \"main\", "
		      "\"caller.offset\": \"0x1000\", \"arc.count\": 60}]}\n",
		      "");
	check_command(
		&cmd_graph, "--calls a.trm main", 2, "",
		"trammel: --calls shows all functions of one profile: trammel graph "
		"--calls FILE\n");
	check_command(&cmd_graph, "-n 3 a.trm main", 2, "",
		      "trammel: --limit is for --calls: the graph of a function is "
		      "whole\n");
}

/* Profiles without such counts say how to get them. */
static void test_without(void **state)
{
	struct maker maker = begin_profile("a.trm", false);

	(void)state;
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	end_profile(&maker);
	check_command(&cmd_report, "--by arc a.trm", 2, "",
		      "trammel: no counts of calls by call site in 'a.trm': measure "
		      "with trammel run -m calls\n");
	check_command(&cmd_graph, "--calls a.trm", 2, "",
		      "trammel: no counts of calls by call site in 'a.trm': measure "
		      "with trammel run -m calls\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_some),
		cmocka_unit_test(test_json),  cmocka_unit_test(test_check),
		cmocka_unit_test(test_graph), cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
