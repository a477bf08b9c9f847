/* `trammel report --check`: counts that can be and cannot be, of functions in
 * annotated.S.
 */
#include "record/trm_writer.h"
#include "record/value.h"
#include "annotate/check.h"

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

int annotated_loop(int number);
int annotated_call(void);

enum { OUT = 999 };

/* What was counted of a function. */
struct sample {
	const char *name;
	uint64_t calls;
	uint64_t blocks[5]
		       [3];   /* offset, size, count; those without a size are left out */
	uint64_t edges[7][3]; /* offsets of two blocks, count; those of count 0 are left
				 out. OUT: out of the function */
	int64_t stayed;       /* in the fourth block */
};

/* Called 3 times, 50 rounds, of them 20 by the longer way. */
#define LOOP(called, first, test, longer, end, last)                                     \
	{                                                                                \
		.name = "annotated_loop", .calls = called, .blocks = {                   \
			{0, 2, first},                                                   \
			{2, 6, test},                                                    \
			{8, 2, longer},                                                  \
			{10, 4, end},                                                    \
			{14, 1, last},                                                   \
		}                                                                        \
	}

static const char *end_state = "exited 0"; /* of the process */

static void write_profile(const char *path, const struct sample *sample)
{
	struct maker maker = begin_profile("a.trm", false);
	uint64_t start = address_of(sample->name);

	add_global(&maker, "run.measure", record_string("blocks"));
	add_image(&maker, 1, path, 1, end_state, NULL);
	add_self(&maker, path, 100, true);
	add_calls(&maker, path, sample->name, start, sample->calls);
	for (size_t i = 0; i < 5; i++)
		if (sample->blocks[i][1])
			add_block(&maker, path, sample->name, start,
				  (const uint64_t[]){start + sample->blocks[i][0],
						     sample->blocks[i][1], 2,
						     sample->blocks[i][2]});
	for (size_t i = 0; i < 7; i++) {
		const uint64_t *edge = sample->edges[i];

		if (edge[2])
			add_edge(&maker, path, sample->name, start,
				 edge[1] == OUT ? "leave" : "jump",
				 (const uint64_t[]){start + edge[0], start + edge[0],
						    edge[1] == OUT ? 0 : start + edge[1],
						    edge[2]});
	}
	if (sample->stayed) {
		struct record_pair stayed[] = {
			pair(&maker, "offset", record_address(start)),
			pair(&maker, "image", record_uint(maker.image)),
			pair(&maker, "block", record_address(start + 10)),
			pair(&maker, "block.size", record_uint(4)),
			pair(&maker, "block.instructions", record_uint(2)),
			pair(&maker, "count", record_uint(0)),
			pair(&maker, "block.stayed",
			     (struct record_value){.type = RECORD_INT,
						   .i = sample->stayed}),
		};

		trm_writer_record(maker.writer, function_node(&maker, path, sample->name),
				  stayed, 7);
	}
	end_profile(&maker);
}

/* What the command prints is a head line and, unless it is NULL, a row with the address
 * of a block and the function's name. */
static void check(const struct sample *sample, int status, const char *head,
		  const char *row, uint64_t offset)
{
	char expected[1024];
	int length;

	write_profile(self.path, sample);
	length = snprintf(expected, sizeof(expected), "1 function, %s\n", head);
	if (row)
		snprintf(expected + length, sizeof(expected) - (size_t)length, row,
			 address_of(sample->name) + offset, sample->name);
	check_command(&cmd_report, "--check a.trm", status, expected, "");
}

static void test_sound(void **state)
{
	(void)state;
	check(&(struct sample)LOOP(3, 3, 50, 20, 50, 3), 0,
	      "5 blocks checked: 0 counts that cannot be, 0 blocks not left", NULL, 0);
	/* Something may have jumped in. */
	check(&(struct sample){.name = "annotated_call",
			       .calls = 2,
			       .blocks = {{0, 7, 2}, {7, 1, 2}}},
	      0, "2 blocks checked: 0 counts that cannot be, 0 blocks not left", NULL, 0);
}

static void test_faults(void **state)
{
	(void)state;
	check(&(struct sample)LOOP(4, 3, 50, 20, 50, 3), 1,
	      "5 blocks checked: 1 count that cannot be, 0 blocks not left",
	      "  Fault: test_check 0x%" PRIx64 " %s: 4 calls, but entered 3 times\n", 0);
	check(&(struct sample)LOOP(3, 3, 50, 51, 53, 6), 1,
	      "5 blocks checked: 1 count that cannot be, 0 blocks not left",
	      "  Fault: test_check 0x%" PRIx64
	      " %s: entered 51 times, by ways taken at most 50\n",
	      8);
	check(&(struct sample)LOOP(3, 5, 50, 20, 50, 3), 1,
	      "5 blocks checked: 1 count that cannot be, 0 blocks not left",
	      "  Fault: test_check 0x%" PRIx64
	      " %s: entered 5 times, by ways taken at most 3\n",
	      0);
}

/* A thread was ended in the middle of a block; a call has not come back. */
static void test_residues(void **state)
{
	(void)state;
	check(&(struct sample)LOOP(3, 3, 22, 20, 19, 3), 0,
	      "5 blocks checked: 0 counts that cannot be, 1 block not left",
	      "  test_check 0x%" PRIx64 " %s: entered 20 times, left 19\n", 8);
	check(&(struct sample){.name = "annotated_call",
			       .calls = 7,
			       .blocks = {{0, 7, 7}, {7, 1, 5}}},
	      0, "2 blocks checked: 0 counts that cannot be, 1 block not left",
	      "  test_check 0x%" PRIx64
	      " %s: entered 7 times, left 5: calls did not return\n",
	      0);
}

/* The same function with its edges: `back` from the fourth block to the second, `out` of
 * the last one. */
#define EDGES(back, out, left)                                                           \
	{                                                                                \
		"annotated_loop", 3,                                                     \
			{{0, 2, 3}, {2, 6, 50}, {8, 2, 20}, {10, 4, 50}, {14, 1, out}},  \
			{{0, 2, 3},     {2, 10, 30},   {2, 8, 20},    {8, 10, 20},       \
			 {10, 2, back}, {10, 14, out}, {14, OUT, out}},                  \
			left                                                             \
	}

static void test_edges(void **state)
{
	(void)state;
	check(&(struct sample)EDGES(47, 3, 0), 0,
	      "5 blocks, 7 edges checked: 0 counts that cannot be, 0 blocks not left",
	      NULL, 0);
	end_state = "killed by SIGKILL";
	check(&(struct sample)EDGES(47, 3, 0), 0,
	      "5 blocks, 7 edges checked: 0 counts that cannot be, 0 blocks not left\n"
	      "Process 1 was killed: for each of its threads, counts of one function may "
	      "be wrong by one",
	      NULL, 0);
	end_state = "exited 0";
	/* A thread ended there. */
	check(&(struct sample)EDGES(47, 2, 1), 0,
	      "5 blocks, 7 edges checked: 0 counts that cannot be, 1 block not left",
	      "  test_check 0x%" PRIx64 " %s: entered 50 times, left 49\n", 10);
}

static void test_wrong_edges(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile(self.path, &(struct sample)EDGES(48, 3, 0));
	assert_int_equal(run_command(&cmd_report, "--check a.trm", &output, &errors), 1);
	assert_non_null(strstr(output, "7 edges checked: 2 counts that cannot be"));
	assert_non_null(strstr(output, ": edges led there 51 times, entered 50 times\n"));
	assert_non_null(
		strstr(output, ": what entered and what left differ: 51 and 50 times\n"));
	free(output);
	free(errors);
	/* The same with a block that says that one did not leave. */
	write_profile(self.path, &(struct sample)EDGES(47, 3, 1));
	assert_int_equal(run_command(&cmd_report, "--check a.trm", &output, &errors), 1);
	assert_non_null(
		strstr(output, ": what entered and what left differ: 51 and 50 times\n"));
	free(output);
	free(errors);
}

static void test_places(void **state)
{
	char *output, *errors;

	(void)state;
	write_profile(self.path, &(struct sample){.name = "annotated_loop",
						  .calls = 3,
						  .blocks = {{0, 2, 3}, {14, 2, 3}}});
	assert_int_equal(run_command(&cmd_report, "--check a.trm", &output, &errors), 1);
	assert_non_null(strstr(output, "2 blocks checked: 1 count that cannot be"));
	assert_non_null(strstr(output, " is beyond 0x"));
	free(output);
	free(errors);
	/* Without the code, calls are all that can be compared. */
	write_profile("/nowhere/gone.so", &(struct sample)LOOP(3, 3, 50, 90, 50, 3));
	check_command(&cmd_report, "--check a.trm", 0,
		      "1 function, 5 blocks checked: 0 counts that cannot be, 0 blocks "
		      "not left\n"
		      "Code not looked at: cannot read '/nowhere/gone.so': No such file "
		      "or directory\n",
		      "");
}

static void test_json(void **state)
{
	char expected[2 * PATH_MAX];
	uint64_t start = address_of("annotated_loop");

	(void)state;
	write_profile(self.path, &(struct sample)LOOP(3, 3, 50, 51, 53, 6));
	snprintf(expected, sizeof(expected),
		 "{\"functions\": 1, \"blocks\": 5, \"edges\": 0, \"arcs\": 0, "
		 "\"faults\": 1,\n"
		 "\"rows\": [\n"
		 "  {\"kind\": \"entry\", \"fault\": true, \"module.path\": \"%s\", "
		 "\"function\": \"annotated_loop\", \"offset\": \"0x%" PRIx64
		 "\", \"block\": \"0x%" PRIx64 "\", \"is\": 51, \"at.most\": 50}],\n"
		 "\"troubles\": [],\n\"killed\": []}\n",
		 self.path, start, start + 8);
	check_command(&cmd_report, "--check --json a.trm", 1, expected, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound),    cmocka_unit_test(test_faults),
		cmocka_unit_test(test_residues), cmocka_unit_test(test_places),
		cmocka_unit_test(test_edges),    cmocka_unit_test(test_wrong_edges),
		cmocka_unit_test(test_json),
	};

	if (annotated_loop(5) != 7 || annotated_call() != 3)
		return 1;
	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
