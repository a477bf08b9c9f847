/* `trammel report`: profiles are written here with the writer, and the whole output
 * compared. */
#include "base/cleanup.h"
#include "record/record.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "report/load.h"
#include "report/select.h"
#include "report/text/report.h"

#include "profile_maker.h"
#include "run_command.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PROFILE "sample.trm"

static void add_run(struct maker *maker, const char *measure, const char *exit)
{
	add_global(maker, "run.command", record_string("zip -6 'a file'"));
	add_global(maker, "run.measure", record_string(measure));
	add_global(maker, "run.exit", record_string(exit));
	add_global(maker, "run.wall.ns", record_uint(1234567890));
	add_global(maker, "run.instrument.ns", record_uint(12345678));
}

/* One process with two modules, a C++ function and three functions left out. */
static void write_simple(const char *measure)
{
	struct maker maker = begin_profile(PROFILE, false);

	add_run(&maker, measure, "0");
	add_image(&maker, 4711, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_module(&maker, LIBC, 3000);
	add_calls(&maker, ZIP, "longest_match", 0x1230, 1234567);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_calls(&maker, ZIP, "_ZN3foo3barEi", 0x1100, 20);
	add_calls(&maker, LIBC, "malloc", 0x8000, 432);
	add_calls(&maker, LIBC, "never", 0x8000, 0);
	add_skip(&maker, ZIP, "tiny", 0x1300, "no room");
	add_skip(&maker, LIBC, "odd", 0x9000, "undecodable");
	add_skip(&maker, LIBC, "small", 0x9100, "no room");
	add_cold_part(&maker, LIBC, "odd", BLOCK(0x9000, 0x700), "shared");
	add_cold_part(&maker, LIBC, "malloc", BLOCK(0x8000, 0x600), "shared");
	add_cold_part(&maker, LIBC, "malloc", BLOCK(0x8000, 0x500), "shared");
	add_cold_part(&maker, LIBC, "malloc", BLOCK(0x8000, 0x600), "shared");
	add_cold_part(&maker, ZIP, "main", BLOCK(0x1000, 0x500), "not understood");
	end_profile(&maker);
}

/* A parent that execs, a child that lives on, one that was released. */
static void write_tree(const char *measure, bool append)
{
	struct maker maker = begin_profile(PROFILE, append);

	add_run(&maker, measure, "SIGKILL");
	add_image(&maker, 10, "/bin/sh", 1, "exec", NULL);
	add_module(&maker, LIBC, 3000);
	add_calls(&maker, LIBC, "malloc", 0x8000, 5);
	add_image(&maker, 10, ZIP, 3, "killed by SIGKILL", NULL);
	add_module(&maker, LIBC, 3000);
	add_module(&maker, ZIP, 40);
	add_calls(&maker, LIBC, "malloc", 0x8000, 7);
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_image(&maker, 11, "/usr/sbin/daemon", 1, "running", NULL);
	add_image(&maker, 12, "/usr/bin/sudo", 1, "released", "set-uid program");
	end_profile(&maker);
}

static int run_report(const char *words, char **ret_output, char **ret_errors)
{
	return run_command(&cmd_report, words, ret_output, ret_errors);
}

static void check_report(const char *words, int status, const char *output,
			 const char *errors)
{
	check_command(&cmd_report, words, status, output, errors);
}

static void check_part(const char *words, const char *part)
{
	char *output, *errors;

	assert_int_equal(run_report(words, &output, &errors), 0);
	assert_non_null(strstr(output, part));
	free(output);
	free(errors);
}

#define HEAD                                                                             \
	"zip -6 'a file'\n"                                                              \
	"  exit 0, wall time 1.235 s, instrumenting 12.3 ms, 1 process, 1 thread\n"      \
	"\n"

static void test_functions(void **state)
{
	(void)state;
	write_simple("functions");
	check_report(
		PROFILE, 0,
		HEAD
		"      Calls    Share  Module     Function\n"
		"  1,234,567  100.0 %  zip        longest_match\n"
		"        432    0.0 %  libc.so.6  malloc\n"
		"         20    0.0 %  zip        foo::bar(int)\n"
		"          1    0.0 %  zip        main\n"
		"\n"
		"  Executed  Known   Part  Module\n"
		"         3     40  7.5 %  zip\n"
		"         1  3,000  0.0 %  libc.so.6\n"
		"\n"
		"4 functions executed, 1,235,020 calls\n"
		"3 functions not instrumented: no room (2), undecodable (1); --verbose "
		"names them\n"
		"4 cold parts without counts: shared (3), not understood (1); "
		"--verbose names them\n",
		"");
}

static void test_rows_chosen(void **state)
{
	(void)state;
	write_simple("functions");
	check_report("--limit 1 --sort=name --module libc* --verbose " PROFILE, 0,
		     HEAD "  Calls    Share  Module     Function\n"
			  "    432  100.0 %  libc.so.6  malloc\n"
			  "\n"
			  "  Executed  Known   Part  Module\n"
			  "         1  3,000  0.0 %  libc.so.6\n"
			  "\n"
			  "1 function executed, 432 calls\n"
			  "2 functions not instrumented: no room (1), undecodable (1)\n"
			  "  no room  libc.so.6:small (0x9100)\n"
			  "  undecodable  libc.so.6:odd (0x9000)\n"
			  "3 cold parts without counts: shared\n"
			  "  shared  libc.so.6:malloc (0x500)\n"
			  "  shared  libc.so.6:malloc (0x600)\n"
			  "  shared  libc.so.6:odd (0x700)\n",
		     "");
	check_report(
		"-n2 --sort=module " PROFILE, 0,
		HEAD
		"      Calls    Share  Module     Function\n"
		"        432    0.0 %  libc.so.6  malloc\n"
		"  1,234,567  100.0 %  zip        longest_match\n"
		"  ... 2 more functions (--all shows them)\n"
		"\n"
		"  Executed  Known   Part  Module\n"
		"         1  3,000  0.0 %  libc.so.6\n"
		"         3     40  7.5 %  zip\n"
		"\n"
		"4 functions executed, 1,235,020 calls\n"
		"3 functions not instrumented: no room (2), undecodable (1); --verbose "
		"names them\n"
		"4 cold parts without counts: shared (3), not understood (1); "
		"--verbose names them\n",
		"");
}

static void test_modules(void **state)
{
	(void)state;
	write_simple("functions");
	check_report(
		"--by module " PROFILE, 0,
		HEAD
		"      Calls    Share  Executed  Known   Part  Module\n"
		"  1,234,588  100.0 %         3     40  7.5 %  zip\n"
		"        432    0.0 %         1  3,000  0.0 %  libc.so.6\n"
		"\n"
		"4 functions executed, 1,235,020 calls\n"
		"3 functions not instrumented: no room (2), undecodable (1); --verbose "
		"names them\n"
		"4 cold parts without counts: shared (3), not understood (1); "
		"--verbose names them\n",
		"");
}

static void test_coverage(void **state)
{
	(void)state;
	write_simple("coverage");
	check_report(
		"--sort name " PROFILE, 0,
		HEAD
		"  Executed  Known   Part  Module\n"
		"         1  3,000  0.0 %  libc.so.6\n"
		"         3     40  7.5 %  zip\n"
		"\n"
		"  Module     Function\n"
		"  zip        foo::bar(int)\n"
		"  zip        longest_match\n"
		"  zip        main\n"
		"  libc.so.6  malloc\n"
		"\n"
		"4 functions executed\n"
		"3 functions not instrumented: no room (2), undecodable (1); --verbose "
		"names them\n"
		"4 cold parts without counts: shared (3), not understood (1); "
		"--verbose names them\n",
		"");
}

#define TREE_HEAD                                                                        \
	"zip -6 'a file'\n"                                                              \
	"  killed by SIGKILL, wall time 1.235 s, instrumenting 12.3 ms, 3 processes, "   \
	"5 threads\n"
#define TREE_TAIL                                                                        \
	"Released: process 12 (/usr/bin/sudo): set-uid program\n"                        \
	"Still running: process 11 (/usr/sbin/daemon)\n"

static void test_processes(void **state)
{
	(void)state;
	write_tree("functions", false);
	check_report(
		PROFILE, 0,
		TREE_HEAD
		"\n"
		"  Calls   Share  Module     Function\n"
		"     12  92.3 %  libc.so.6  malloc\n"
		"      1   7.7 %  zip        main\n"
		"\n"
		"  Executed  Known   Part  Module\n"
		"         1  3,000  0.0 %  libc.so.6\n"
		"         1     40  2.5 %  zip\n"
		"\n"
		"  Process  Functions  Threads  State              Program\n"
		"       10          1        1  exec               /bin/sh\n"
		"       10          2        3  killed by SIGKILL  /usr/bin/zip\n"
		"       11          0        1  running            /usr/sbin/daemon\n"
		"       12          0        1  released           /usr/bin/sudo\n"
		"\n"
		"2 functions executed, 13 calls\n" TREE_TAIL,
		"");
	check_report("--process 12 " PROFILE, 0,
		     TREE_HEAD "\n"
			       "No function was executed that was measured.\n"
			       "Released: process 12 (/usr/bin/sudo): set-uid program\n",
		     "");
	check_report(
		"--by process --process 10 --module=/usr/bin/* " PROFILE, 0,
		TREE_HEAD
		"\n"
		"  Process  Calls  Functions  Threads  State              Program\n"
		"       10      0          0        1  exec               /bin/sh\n"
		"       10      1          1        3  killed by SIGKILL  /usr/bin/zip\n"
		"\n"
		"1 function executed, 1 call\n",
		"");
	check_report(
		"--process 13 " PROFILE, 2, "",
		"trammel: no process 13 in this profile: --by process shows those that "
		"are\n");
	check_report(
		"--module nix " PROFILE, 2, "",
		"trammel: no module 'nix' in this profile: --by module shows those that "
		"are\n");
}

/* Two profiles one behind the other: their image numbers are the same, their counts add
 * up. */
static void test_two_runs(void **state)
{
	(void)state;
	write_tree("functions", false);
	write_tree("functions", true);
	check_report(
		"--limit=3 --module zip " PROFILE, 0,
		TREE_HEAD TREE_HEAD
		"\n"
		"  Calls    Share  Module  Function\n"
		"      2  100.0 %  zip     main\n"
		"\n"
		"  Executed  Known   Part  Module\n"
		"         1     40  2.5 %  zip\n"
		"\n"
		"  Process  Functions  Threads  State              Program\n"
		"       10          0        1  exec               /bin/sh\n"
		"       10          1        3  killed by SIGKILL  /usr/bin/zip\n"
		"       11          0        1  running            /usr/sbin/daemon\n"
		"  ... 5 more processes (--all shows them)\n"
		"\n"
		"1 function executed, 2 calls\n"
		"Released: process 12 (/usr/bin/sudo): set-uid program\n" TREE_TAIL
		"Still running: process 11 (/usr/sbin/daemon)\n",
		"");
}

#define JSON_REST                                                                        \
	"\"modules\": [\n"                                                               \
	"  {\"module\": \"zip\", \"module.path\": \"/usr/bin/zip\", \"buildid\": "       \
	"\"00ff\", "                                                                     \
	"\"functions.known\": 40, \"functions.instrumented\": 39, "                      \
	"\"functions.executed\": 3, \"calls\": 1234588}],\n"                             \
	"\"processes\": [\n"                                                             \
	"  {\"image\": 1, \"process\": 4711, \"process.parent\": 1, \"threads\": 1, "    \
	"\"program\": \"/usr/bin/zip\", \"process.state\": \"exited 0\", "               \
	"\"functions.executed\": 3, \"calls\": 1234588}],\n"                             \
	"\"skipped\": [\n"                                                               \
	"  {\"module\": \"zip\", \"module.path\": \"/usr/bin/zip\", \"function\": "      \
	"\"tiny\", \"offset\": \"0x1300\", \"skip.reason\": \"no room\"}],\n"            \
	"\"uncounted_parts\": [\n"                                                       \
	"  {\"module\": \"zip\", \"module.path\": \"/usr/bin/zip\", \"function\": "      \
	"\"main\", \"offset\": \"0x1000\", \"part.offset\": \"0x500\", "                 \
	"\"part.reason\": \"not understood\"}]}\n"
#define JSON_HEAD                                                                        \
	"{\"profile\": {\"run.command\": \"zip -6 'a file'\", "                          \
	"\"run.measure\": \"functions\", \"run.exit\": \"0\", "                          \
	"\"run.wall.ns\": 1234567890, \"run.instrument.ns\": 12345678},\n"
#define JSON_ZIP "{\"module\": \"zip\", \"module.path\": \"/usr/bin/zip\", "

/* All rows, whatever the limit. */
static void test_json(void **state)
{
	(void)state;
	write_simple("functions");
	check_report(
		"--json --limit 1 --module zip " PROFILE, 0,
		JSON_HEAD
		"\"rows\": [\n"
		"  " JSON_ZIP "\"function\": \"longest_match\", \"offset\": \"0x1230\", "
		"\"calls\": 1234567},\n"
		"  " JSON_ZIP "\"function\": \"foo::bar(int)\", \"offset\": \"0x1100\", "
		"\"calls\": 20},\n"
		"  " JSON_ZIP "\"function\": \"main\", \"offset\": \"0x1000\", "
		"\"calls\": 1}],\n" JSON_REST,
		"");
}

/* A function that two processes executed is covered once. */
static void test_coverage_of_processes(void **state)
{
	char *output, *errors;

	(void)state;
	write_tree("coverage", false);
	assert_int_equal(run_report("--json --by module " PROFILE, &output, &errors), 0);
	assert_non_null(strstr(output, "\"functions.executed\": 1, \"calls\": 1}"));
	assert_null(strstr(output, "\"functions.executed\": 1, \"calls\": 2}"));
	free(output);
	free(errors);
}

#define BLOCK(...) ((const uint64_t[]){__VA_ARGS__})

/* A process and the child of its fork, which goes on in a function that it never called.
 * The blocks of one function were not counted. */
static void write_blocks(void)
{
	struct maker maker = begin_profile(PROFILE, false);

	add_run(&maker, "blocks", "0");
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, ZIP, 1, "exited 0", NULL);
		add_module(&maker, ZIP, 40);
		add_calls(&maker, ZIP, "deflate", 0x1100, 10);
		add_block(&maker, ZIP, "deflate", 0x1100, BLOCK(0x1120, 7, 2, 900));
		add_block(&maker, ZIP, "deflate", 0x1100, BLOCK(0x1100, 32, 10, 10));
		add_block(&maker, ZIP, "main", 0x1000, BLOCK(0x1010, 3, 1, process));
	}
	add_calls(&maker, LIBC, "odd", 0x8000, 3);
	add_block(&maker, ZIP, "main", 0x1000, BLOCK(0x1010, 3, 1, 0));
	add_block(&maker, ZIP, "main", 0x1000, BLOCK(0x1013, 3, 1, 0));
	end_profile(&maker);
}

#define BLOCKS_HEAD                                                                      \
	"zip -6 'a file'\n"                                                              \
	"  exit 0, wall time 1.235 s, instrumenting 12.3 ms, 2 processes, 2 threads\n"

#define BLOCKS_REST                                                                      \
	"  Executed  Known   Part  Module\n"                                             \
	"         2     40  5.0 %  zip\n"                                                \
	"         1      0         libc.so.6\n"                                          \
	"\n"                                                                             \
	"  Process  Functions  Threads  State     Program\n"                             \
	"        1          1        1  exited 0  /usr/bin/zip\n"                        \
	"        2          2        1  exited 0  /usr/bin/zip\n"                        \
	"\n"                                                                             \
	"3 functions executed, 23 calls\n"

static void test_blocks(void **state)
{
	(void)state;
	write_blocks();
	check_report(
		"--by block " PROFILE, 0,
		BLOCKS_HEAD
		"  3,803 instructions in 3 blocks; 1 function without counts of blocks\n"
		"\n"
		"  Count   Share  Instructions  Module  Address  Function\n"
		"  1,800  98.7 %             2  zip      0x1120  deflate\n"
		"     20   1.1 %            10  zip      0x1100  deflate\n"
		"      3   0.2 %             1  zip      0x1010  main\n"
		"\n" BLOCKS_REST,
		"");
	check_report("--by block --sort=name -n1 --process 2 --module zip " PROFILE, 0,
		     BLOCKS_HEAD
		     "  1,902 instructions in 3 blocks\n"
		     "\n"
		     "  Count  Share  Instructions  Module  Address  Function\n"
		     "     10  1.1 %            10  zip      0x1100  deflate\n"
		     "  ... 2 more blocks (--all shows them)\n"
		     "\n"
		     "  Executed  Known   Part  Module\n"
		     "         2     40  5.0 %  zip\n"
		     "\n"
		     "2 functions executed, 10 calls\n",
		     "");
}

#define EDGE(...) ((const uint64_t[]){__VA_ARGS__})

/* Two processes; in the second one the counters of main contradict each other. */
static void write_edges(void)
{
	struct maker maker = begin_profile(PROFILE, false);

	add_run(&maker, "edges", "0");
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, ZIP, 1, "exited 0", NULL);
		add_module(&maker, ZIP, 40);
		add_calls(&maker, ZIP, "deflate", 0x1100, 10);
		add_block(&maker, ZIP, "deflate", 0x1100, BLOCK(0x1100, 32, 10, 900));
		add_edge(&maker, ZIP, "deflate", 0x1100, "jump",
			 EDGE(0x111e, 0x1100, 0x1100, 890));
		add_edge(&maker, ZIP, "deflate", 0x1100, "next",
			 EDGE(0x111e, 0x1100, 0x1120, 10));
		add_edge(&maker, ZIP, "deflate", 0x1100, "leave",
			 EDGE(0x1122, 0x1120, 0, 9 + process));
		add_edge(&maker, ZIP, "deflate", 0x1100, "jump",
			 EDGE(0x1144, 0x1140, 0x1100, 0));
	}
	struct record_pair fault[] = {
		pair(&maker, "offset", record_address(0x1000)),
		pair(&maker, "image", record_uint(maker.image)),
		pair(&maker, "flow.fault", record_address(0x1010)),
	};

	trm_writer_record(maker.writer, function_node(&maker, ZIP, "main"), fault, 3);
	end_profile(&maker);
}

static void test_edges(void **state)
{
	char *output, *errors;

	(void)state;
	write_edges();
	assert_int_equal(run_report("--by edge " PROFILE, &output, &errors), 0);
	assert_non_null(strstr(
		output, "  18,000 instructions in 1 block; 1 function with counters that "
			"contradict each other\n"
			"\n"
			"  Count   Share  Way    Module    From      To  Function\n"
			"  1,780  97.7 %  jump   zip     0x111e  0x1100  deflate\n"
			"     21   1.2 %  leave  zip     0x1122          deflate\n"
			"     20   1.1 %  next   zip     0x111e  0x1120  deflate\n"
			"\n"));
	free(output);
	free(errors);
	assert_int_equal(
		run_report("--by edge --process 1 -n 1 " PROFILE, &output, &errors), 0);
	assert_non_null(strstr(output,
			       "  890  97.8 %  jump  zip     0x111e  0x1100  deflate\n"
			       "  ... 2 more edges (--all shows them)\n"));
	free(output);
	free(errors);
	assert_int_equal(run_report("--by edge --json " PROFILE, &output, &errors), 0);
	assert_non_null(strstr(output, "\"edge\": \"0x111e\", \"edge.from\": \"0x1100\", "
				       "\"edge.to\": \"0x1120\", \"edge.kind\": "
				       "\"next\", \"count\": 20}],\n"));
	free(output);
	free(errors);
	write_blocks();
	check_report("--by edge " PROFILE, 2, "",
		     "trammel: no counts of edges in '" PROFILE
		     "': measure with trammel run -m edges\n");
}

static void test_instructions(void **state)
{
	(void)state;
	write_blocks();
	check_report(
		"--sort=instructions " PROFILE, 0,
		BLOCKS_HEAD
		"  3,803 instructions in 3 blocks; 1 function without counts of blocks\n"
		"\n"
		"  Calls   Share  Instructions   Share  Module     Function\n"
		"     20  87.0 %         3,800  99.9 %  zip        deflate\n"
		"      0   0.0 %             3   0.1 %  zip        main\n"
		"      3  13.0 %             ?          libc.so.6  odd\n"
		"\n" BLOCKS_REST,
		"");
	write_simple("functions");
	check_report("--sort=instructions " PROFILE, 2, "",
		     "trammel: no counts of blocks in '" PROFILE
		     "': measure with trammel run -m blocks\n");
	check_report("--by=block " PROFILE, 2, "",
		     "trammel: no counts of blocks in '" PROFILE
		     "': measure with trammel run -m blocks\n");
	write_simple("trace,edges");
	check_report("--by=block " PROFILE, 2, "",
		     "trammel: no counts of blocks in '" PROFILE
		     "', though its run counted them: functions that cannot be "
		     "moved (as Go's) are counted at their entry only\n");
}

static void test_blocks_json(void **state)
{
	static const struct {
		const char *words, *part;
	} cases[] = {
		{"--json --sort=module --by block " PROFILE,
		 "\"function\": \"deflate\", \"offset\": \"0x1100\", \"block\": "
		 "\"0x1120\", \"block.size\": 7, \"block.instructions\": 2, \"count\": "
		 "1800},\n"},
		{"--json " PROFILE, "\"calls\": 20, \"instructions\": 3800},\n"},
		/* Not counted is not 0. */
		{"--json " PROFILE,
		 "\"function\": \"odd\", \"offset\": \"0x8000\", \"calls\": 3},\n"},
		{"--json " PROFILE,
		 "\"functions.executed\": 2, \"calls\": 20, \"instructions\": 3803},\n"},
		{"--json " PROFILE, "\"calls\": 13, \"instructions\": 1902}],\n"},
	};

	(void)state;
	write_blocks();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *output, *errors;

		assert_int_equal(run_report(cases[i].words, &output, &errors), 0);
		assert_non_null(strstr(output, cases[i].part));
		free(output);
		free(errors);
	}
}

static void test_colours_and_width(void **state)
{
	struct report_options options = {.colour = REPORT_COLOUR_ALWAYS, .width = 34};
	struct report_profile *profile;
	struct text text = {0};
	struct maker maker = begin_profile(PROFILE, false);

	(void)state;
	add_run(&maker, "functions", "3");
	add_image(&maker, 1, ZIP, 1, "exited 3", NULL);
	add_calls(&maker, ZIP,
		  "d\xc3\xa9"
		  "flate_stored_\xc3\xa9\xc3\xa9",
		  1, 2);
	add_calls(&maker, ZIP,
		  "d\xc3\xa9"
		  "flate_stor",
		  2, 1);
	add_calls(&maker, ZIP, "a\033[2J\n\xc2\x9b", 3, 1);
	end_profile(&maker);
	assert_null(report_profile_load(PROFILE, &profile));
	assert_null(report_profile_select(profile, &(struct report_filter){0}));
	report_text(profile, &options, &text);
	assert_string_equal(text.data, "\033[1mzip -6 'a file'\033[0m\n"
				       "  exit 3, wall time 1.235 s, instrumenting 12.3 "
				       "ms, 1 process, 1 thread\n"
				       "\n"
				       "\033[1m  Calls   Share  Module  Function\033[0m\n"
				       "      2  50.0 %  zip     d\xc3\xa9"
				       "flate_store...\n"
				       "      1  25.0 %  zip     a?[2J??\n"
				       "      1  25.0 %  zip     d\xc3\xa9"
				       "flate_stor\n"
				       "\n"
				       "\033[1m  Executed  Known  Part  Module\033[0m\n"
				       "         3      0        zip\n"
				       "\n"
				       "3 functions executed, 4 calls\n");
	text_deinit(&text);
	report_profile_destroy(profile);
}

/* What `trammel run` shows: ten rows at most. */
static void test_summary(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);
	struct report_options options = {.limit = 2};
	FILE *out = fopen(OUTPUT, "w+");

	(void)state;
	assert_non_null(out);
	add_run(&maker, "functions", "0");
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_module(&maker, ZIP, 100);
	for (uint64_t i = 1; i <= 12; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", (int)i);
		add_calls(&maker, ZIP, name, i, i);
	}
	end_profile(&maker);
	assert_null(report_text_summary(out, PROFILE, NULL));
	char *text = read_text(OUTPUT);

	assert_non_null(strstr(text, "  f12\n"));
	assert_non_null(
		strstr(text, "  f3\n  ... 2 more functions (--all shows them)\n"));
	free(text);
	rewind(out);
	assert_int_equal(ftruncate(fileno(out), 0), 0);
	assert_null(report_text_summary(out, PROFILE, &options));
	text = read_text(OUTPUT);
	assert_non_null(
		strstr(text, "  f11\n  ... 10 more functions (--all shows them)\n"));
	free(text);
	fclose(out);
	struct trm_error *error = report_text_summary(stdout, "/nowhere/x.trm", NULL);

	assert_string_equal(error->message,
			    "cannot open '/nowhere/x.trm': No such file or directory");
	trm_error_destroy(error);
}

/* The same file name in two folders, and in different versions, is not one module. */
static void test_modules_of_one_name(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);

	(void)state;
	add_run(&maker, "functions", "0");
	add_image(&maker, 1, ZIP, 1, "exited 0", NULL);
	add_calls(&maker, "/a/lib.so", "f", 1, 2);
	add_calls(&maker, "/b/lib.so", "f", 1, 1);
	/* Two functions of one name in a module are two, too. */
	add_calls(&maker, "/b/lib.so", "f", 2, 1);
	end_profile(&maker);
	check_report(PROFILE, 0,
		     HEAD "  Calls   Share  Module     Function\n"
			  "      2  50.0 %  /a/lib.so  f\n"
			  "      1  25.0 %  /b/lib.so  f\n"
			  "      1  25.0 %  /b/lib.so  f\n"
			  "\n"
			  "  Executed  Known  Part  Module\n"
			  "         1      0        /a/lib.so\n"
			  "         2      0        /b/lib.so\n"
			  "\n"
			  "3 functions executed, 4 calls\n",
		     "");
}

/* What could not be counted as a whole is named with its reason. */
static void test_unmeasured_modules(void **state)
{
	struct maker maker = begin_profile(PROFILE, false);

	(void)state;
	add_run(&maker, "functions", "0");
	add_image(&maker, 10, "/usr/bin/zip", 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_unmeasured(&maker, "/lib/old.so", "its text is written to by the loader");
	add_calls(&maker, ZIP, "main", 0x1000, 1);
	add_image(&maker, 11, "/usr/bin/zip", 1, "exited 0", NULL);
	add_module(&maker, ZIP, 40);
	add_unmeasured(&maker, "/lib/old.so", "its text is written to by the loader");
	end_profile(&maker);
	check_part("--all " PROFILE,
		   "Not measured: old.so (in 2 processes): its text is written to by the "
		   "loader\n");
	check_part("--json " PROFILE,
		   "\"module.reason\": \"its text is written to by the loader\"");
}

static void test_files_that_are_none(void **state)
{
	char *output, *errors;

	(void)state;
	check_report(
		"/nowhere/x.trm", 4, "",
		"trammel: cannot open '/nowhere/x.trm': No such file or directory\n");
	check_report(
		"/dev/null", 4, "",
		"trammel: '/dev/null' is empty: its writer ended before it could write, "
		"measure again\n");
	check_report(
		"/bin/sh", 4, "",
		"trammel: '/bin/sh' is not a profile: it does not begin as a .trm or "
		".cali file\n");
	write_simple("functions");
	assert_int_equal(truncate(PROFILE, 24), 0);
	check_report(PROFILE, 4, "",
		     "trammel: '" PROFILE
		     "' holds nothing: its writer was stopped before it "
		     "could write, measure again\n");
	/* Without its end mark, all of it is shown, and a warning. */
	struct stat info;

	write_simple("functions");
	assert_int_equal(stat(PROFILE, &info), 0);
	assert_int_equal(truncate(PROFILE, info.st_size - 1), 0);
	assert_int_equal(run_report(PROFILE, &output, &errors), 0);
	assert_non_null(strstr(output, "longest_match"));
	assert_non_null(
		strstr(errors, "trammel: warning: '" PROFILE "' is damaged at byte "));
	free(output);
	free(errors);
}

/* Without a file it is the newest profile in the folder. */
static void test_newest(void **state)
{
	char *output, *errors = *state;

	write_simple("functions");
	assert_int_equal(system("mv " PROFILE " a.trm; touch -d yesterday a.trm"), 0);
	write_tree("functions", false);
	assert_int_equal(run_command(&cmd_report, "", &output, &errors), 0);
	assert_string_equal(errors, "trammel: " PROFILE ", the newest profile here\n");
	free(output);
	free(errors);
}

static void test_wrong_usage(void **state)
{
	static const struct {
		const char *words, *message;
	} cases[] = {
		{"", "no file: trammel report FILE, a profile that trammel run wrote"},
		{"--modul x y", "unknown option '--modul': did you mean '--module'?"},
		{"--jsn=1 x", "unknown option '--jsn': did you mean '--json'?"},
		{"--frobnicate x",
		 "unknown option '--frobnicate': trammel report --help shows all"},
		{"x --module", "option '--module': missing argument"},
		{"--by functions x",
		 "--by 'functions' is unknown: did you mean 'function'?"},
		{"--by colour x",
		 "--by 'colour' is unknown: choose function, module, process, block, "
		 "edge, arc, interval, thread, region or callgraph"},
		{"--sort=cals x", "--sort 'cals' is unknown: did you mean 'calls'?"},
		{"--color=allways x",
		 "--color 'allways' is unknown: did you mean 'always'?"},
		{"--limit=0 x", "--limit '0' is not a number from 1 up"},
		{"--limit=-1 x", "--limit '-1' is not a number from 1 up"},
		{"--limit=99999999999999999999 x",
		 "--limit '99999999999999999999' is not a number from 1 up"},
		{"--process=12a x", "--process '12a' is not a number from 0 up"},
		{"a b",
		 "one file at a time, not 'b' too: trammel merge makes one profile of "
		 "several"},
	};

	(void)state;
	remove(PROFILE), remove("a.trm");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "trammel: %s\n", cases[i].message);
		check_report(cases[i].words, 2, "", expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_blocks_json),
		cmocka_unit_test(test_rows_chosen),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_coverage_of_processes),
		cmocka_unit_test(test_colours_and_width),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_modules_of_one_name),
		cmocka_unit_test(test_unmeasured_modules),
		cmocka_unit_test(test_files_that_are_none),
		cmocka_unit_test(test_newest),
		cmocka_unit_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
