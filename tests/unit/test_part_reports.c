/* Reports of a function with a cold part: of parted.S. */
#include "record/value.h"
#include "annotate/annotation.h"

#include "profile_maker.h"
#include "run_command.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int parted(int number);

#define NAME "parted"

static uint64_t hot, cold;

/* Entered 10 times, 7 of them led to the part, 4 of those to the call, which came back 3
 * times; `back` is how many are said to have left the part's first way. */
static void write_profile(bool edges, uint64_t back, uint64_t astray)
{
	struct maker maker = begin_profile("a.trm", false);
	/* Address, bytes, instructions, count. */
	const uint64_t blocks[][4] = {
		{hot, 10, 3, 10},    {hot + 10, 4, 2, 9},   {cold, 6, 3, 7},
		{cold + 6, 8, 2, 3}, {cold + 14, 10, 2, 4},
	};
	/* The branch, its block, where it leads, count. */
	const uint64_t ways[][4] = {
		{hot + 4, hot, cold, 7},
		{hot + 4, hot, hot + 10, 3},
		{cold + 4, cold, cold + 14, 4},
		{cold + 4, cold, cold + 6, 3},
		{cold + 9, cold + 6, hot + 10, back},
		{hot + 13, hot + 10, 0, 9},
	};

	add_global(&maker, "run.measure", record_string(edges ? "edges" : "blocks"));
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	add_calls(&maker, self.path, NAME, hot, 10);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		add_block(&maker, self.path, NAME, hot, blocks[i]);
	if (astray)
		add_block(&maker, self.path, NAME, hot,
			  (const uint64_t[]){hot + astray, 4, 1, 1});
	for (size_t i = 0; edges && i < sizeof(ways) / sizeof(ways[0]); i++)
		add_edge(&maker, self.path, NAME, hot, i % 2 ? "next" : "jump", ways[i]);
	end_profile(&maker);
}

static bool says(const struct command *command, const char *words, int status,
		 const char *const *texts)
{
	char *output, *errors;
	bool all = run_command(command, words, &output, &errors) == status;

	for (; *texts; texts++)
		if (!strstr(output, *texts)) {
			print_error("no '%s' in\n%s%s", *texts, output, errors);
			all = false;
		}
	free(output);
	free(errors);
	return all;
}

#define SAYS(command, words, status, ...)                                                \
	assert_true(                                                                     \
		says(command, words, status, (const char *const[]){__VA_ARGS__, NULL}))

static void test_annotate(void **state)
{
	(void)state;
	write_profile(true, 3, 0);
	SAYS(&cmd_annotate, "a.trm " NAME, 0, "cold part, 0x", "  10 calls",
	     "taken 7 of 10 (70.0 %)", "taken 4 of 7 (57.1 %)", "<parted.cold>",
	     "<parted+0xa>");
	SAYS(&cmd_annotate, "--json a.trm " NAME, 0, "\"count\": 10", "\"count\": 7",
	     "\"count\": 4", "\"loops\": [");
}

static void test_graph(void **state)
{
	(void)state;
	write_profile(true, 3, 0);
	SAYS(&cmd_graph, "--json a.trm " NAME, 0,
	     "{\"from\": null, \"to\": 0, \"kind\": \"call\", \"count\": 10}",
	     "{\"from\": 0, \"to\": 2, \"kind\": \"jump\", \"count\": 7}",
	     "{\"from\": 0, \"to\": 1, \"kind\": \"next\", \"count\": 3}",
	     "{\"from\": 3, \"to\": 1, \"kind\": \"jump\", \"count\": 3}",
	     "{\"from\": 2, \"to\": 4, \"kind\": \"jump\", \"count\": 4}",
	     "{\"from\": 4, \"to\": null, \"kind\": \"jump\"}");
	write_profile(false, 3, 0);
	SAYS(&cmd_graph, "a.trm " NAME, 0, "\tenter [shape=plaintext];\n",
	     "\tenter -> b2 [label=\"?\"];\n", "\tb2 -> b4 [label=\"4\"];\n");
}

static void test_check(void **state)
{
	(void)state;
	write_profile(true, 3, 0);
	SAYS(&cmd_report, "--check a.trm", 0,
	     "1 function, 5 blocks, 6 edges checked: "
	     "0 counts that cannot be");
	write_profile(false, 3, 0);
	SAYS(&cmd_report, "--check a.trm", 0, "0 counts that cannot be");
	/* More came into a block than entered it; and a block that is nowhere. */
	write_profile(true, 9, 0);
	SAYS(&cmd_report, "--check a.trm", 1, "Fault: ");
	write_profile(true, 3, 1 << 20);
	SAYS(&cmd_report, "--check a.trm", 1, "is beyond");
}

/* Line 24 is the first of the part, line 28 its jump back, line 29 its call. */
static void test_coverage(void **state)
{
	(void)state;
	write_profile(true, 3, 0);
	SAYS(&cmd_coverage, "--lcov --source */parted.S a.trm", 0, "DA:14,10\n",
	     "DA:17,9\n", "DA:24,7\n", "DA:28,3\n", "DA:29,4\n");
}

static void test_pbo(void **state)
{
	(void)state;
	write_profile(true, 3, 0);
	SAYS(&cmd_pbo, "--fdata a.trm", 0, "1 parted 4 1 parted.cold/1 0 0 7\n",
	     "1 parted.cold/1 4 1 parted.cold/1 e 0 4\n");
}

static int begin(void **state)
{
	int failed = enter_folder_with_self(state);

	if (failed)
		return failed;
	hot = address_of(NAME);
	vector_for_each (&self.image->parts, part)
		if (!strcmp(self.image->names.items + part->name, NAME ".cold"))
			cold = part->address;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotate), cmocka_unit_test(test_graph),
		cmocka_unit_test(test_check),    cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_pbo),
	};

	if (parted(1) != 4 || parted(0) != 6)
		return 1;
	return cmocka_run_group_tests(tests, begin, leave_folder);
}
