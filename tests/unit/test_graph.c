/* `trammel graph`: of functions of this program, in annotated.S, whose blocks are known.
 */

#include "record/value.h"
#include "profile_maker.h"
#include "run_command.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int annotated(int number);
int annotated_loop(int number);
int annotated_odd(int number);

static struct maker begin(void)
{
	struct maker maker = begin_profile("a.trm", false);

	add_global(&maker, "run.measure", record_string("blocks"));
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	return maker;
}

static void add(struct maker *maker, const char *name, uint64_t offset, uint64_t size,
		uint64_t count)
{
	uint64_t start = address_of(name);

	add_block(maker, self.path, name, start,
		  (const uint64_t[]){start + offset, size, 2, count});
}

/* The function whose blocks are A (called 10 times), B and C; C has a call. */
static void write_branch(void)
{
	struct maker maker = begin();

	add_calls(&maker, self.path, "annotated", address_of("annotated"), 10);
	add(&maker, "annotated", 0, 4, 10);
	add(&maker, "annotated", 10, 11, 10);
	add_calls(&maker, self.path, "annotated_odd", address_of("annotated_odd"), 1);
	end_profile(&maker);
}

/* What leaves C is not known, as its call need not come back. */
static void test_dot(void **state)
{
	uint64_t start = address_of("annotated");
	char expected[2048];

	(void)state;
	write_branch();
	snprintf(expected, sizeof(expected),
		 "digraph \"annotated\" {\n"
		 "\tnode [shape=box, fontname=\"monospace\"];\n"
		 "\tcall [shape=plaintext, label=\"annotated\\n10 calls\"];\n"
		 "\tb0 [label=\"0x%" PRIx64 "\\n2 instructions\\n10 times\", "
		 "style=filled, fillcolor=\"0.000 0.500 1.000\"];\n"
		 "\tb1 [label=\"0x%" PRIx64 "\\n2 instructions\\n0 times\", "
		 "style=dashed, color=gray, fontcolor=gray];\n"
		 "\tb2 [label=\"0x%" PRIx64 "\\n3 instructions\\n10 times\", "
		 "style=filled, fillcolor=\"0.000 0.750 1.000\"];\n"
		 "\tleave [shape=plaintext];\n"
		 "\tcall -> b0 [label=\"10\"];\n"
		 "\tb0 -> b2 [label=\"10\"];\n"
		 "\tb0 -> b1 [label=\"0\", style=dashed, color=gray];\n"
		 "\tb1 -> leave [label=\"0\", style=dashed, color=gray];\n"
		 "\tb2 -> leave [label=\"?\"];\n"
		 "}\n",
		 start, start + 4, start + 10);
	check_command(&cmd_graph, "--dot a.trm annotated", 0, expected, "");
	check_command(&cmd_graph, "a.trm annotated", 0, expected, "");
}

/* Called 3 times, the loop has 50 rounds, 20 of them by the longer way. */
static void test_loop(void **state)
{
	static const char *const edges[] = {
		"{\"from\": null, \"to\": 0, \"kind\": \"call\", \"count\": 3}",
		"{\"from\": 0, \"to\": 1, \"kind\": \"next\", \"count\": 3}",
		"{\"from\": 1, \"to\": 3, \"kind\": \"jump\", \"count\": 30}",
		"{\"from\": 1, \"to\": 2, \"kind\": \"next\", \"count\": 20}",
		"{\"from\": 2, \"to\": 3, \"kind\": \"next\", \"count\": 20}",
		"{\"from\": 3, \"to\": 1, \"kind\": \"jump\", \"count\": 47}",
		"{\"from\": 3, \"to\": 4, \"kind\": \"next\", \"count\": 3}",
		"{\"from\": 4, \"to\": null, \"kind\": \"leave\", \"count\": 3}",
	};
	static const struct {
		uint64_t offset, size, count;
	} blocks[] = {{0, 2, 3}, {2, 6, 50}, {8, 2, 20}, {10, 4, 50}, {14, 1, 3}};
	struct maker maker = begin();
	char *output, *errors;

	(void)state;
	add_calls(&maker, self.path, "annotated_loop", address_of("annotated_loop"), 3);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		add(&maker, "annotated_loop", blocks[i].offset, blocks[i].size,
		    blocks[i].count);
	end_profile(&maker);
	assert_int_equal(
		run_command(&cmd_graph, "--json a.trm annotated_loop", &output, &errors),
		0);
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		if (!strstr(output, edges[i]))
			fail_msg("no edge %s in %s", edges[i], output);
	assert_non_null(strstr(output, "\"block.size\": 6, \"block.instructions\": 2, "
				       "\"count\": 50},\n"));
	free(output);
	free(errors);
}

/* What was measured is shown, though it does not follow from the blocks. */
static void test_edges(void **state)
{
	struct maker maker = begin();
	uint64_t start = address_of("annotated");
	char *output, *errors;

	(void)state;
	add_calls(&maker, self.path, "annotated", start, 10);
	add(&maker, "annotated", 0, 4, 10);
	add(&maker, "annotated", 10, 11, 6);
	add_edge(&maker, self.path, "annotated", start, "jump",
		 (const uint64_t[]){start + 2, start, start + 10, 6});
	add_edge(&maker, self.path, "annotated", start, "next",
		 (const uint64_t[]){start + 2, start, start + 4, 3});
	end_profile(&maker);
	assert_int_equal(
		run_command(&cmd_graph, "--json a.trm annotated", &output, &errors), 0);
	assert_non_null(strstr(
		output, "{\"from\": 0, \"to\": 2, \"kind\": \"jump\", \"count\": 6}"));
	assert_non_null(strstr(
		output, "{\"from\": 0, \"to\": 1, \"kind\": \"next\", \"count\": 3}"));
	/* A return behind a call is not told apart from what does not come back. */
	assert_non_null(
		strstr(output, "{\"from\": 2, \"to\": null, \"kind\": \"leave\"}"));
	free(output);
	free(errors);
}

static void test_refused(void **state)
{
	(void)state;
	write_branch();
	check_command(&cmd_graph, "a.trm annotated_odd", 4, "",
		      "trammel: 'annotated_odd' has no graph: it has an indirect jump "
		      "that was not understood; trammel annotate shows its code\n");
	check_command(&cmd_graph, "a.trm", 2, "",
		      "trammel: no function: trammel graph FILE FUNCTION, or "
		      "trammel graph --calls FILE\n");
	check_command(&cmd_graph, "--dot --json a.trm annotated", 2, "",
		      "trammel: --dot and --json are two outputs: choose one\n");
	check_command(&cmd_graph, "--module */test_* a.trm annotate_", 2, "",
		      "trammel: no function 'annotate_' was executed: did you mean "
		      "'annotated'?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dot),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_refused),
	};

	if (annotated(1) != 7 || annotated_loop(5) != 7 || annotated_odd(1))
		return 1;
	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
