/* `trammel bbv`: vectors of profiles that are made here, read by the grammar of
 * SimPoint's frequency vectors. */

#include "record/trm_writer.h"
#include "record/value.h"
#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VECTORS_MAX = 8, BLOCKS_MAX = 8 };

/* What was read: instructions by line and block. */
struct vectors {
	size_t lines;
	unsigned long long sums[VECTORS_MAX][BLOCKS_MAX];
};

static unsigned long long read_number(const char **at)
{
	char *end;

	assert_true(**at >= '1' && **at <= '9');
	unsigned long long number = strtoull(*at, &end, 10);

	*at = end;
	return number;
}

/* Line: "T" Entry (" " Entry)* "\n"; Entry: ":" Number ":" Number; a block once a line.
 */
static struct vectors read_vectors(const char *text)
{
	struct vectors vectors = {0};

	for (; *text; text++, vectors.lines++) {
		assert_true(vectors.lines < VECTORS_MAX);
		assert_int_equal(*text++, 'T');
		do {
			text += *text == ' ';
			assert_int_equal(*text++, ':');
			unsigned long long block = read_number(&text);

			assert_true(block < BLOCKS_MAX);
			assert_int_equal(*text++, ':');
			assert_int_equal(vectors.sums[vectors.lines][block], 0);
			vectors.sums[vectors.lines][block] = read_number(&text);
		} while (*text == ' ');
		assert_int_equal(*text, '\n');
	}
	return vectors;
}

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

/* A block's record: address, instructions, count, interval. */
static void add(struct maker *maker, const char *path, const uint64_t block[4])
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(0x100)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "block", record_address(block[0])),
		pair(maker, "block.size", record_uint(4)),
		pair(maker, "block.instructions", record_uint(block[1])),
		pair(maker, "count", record_uint(block[2])),
		pair(maker, "interval", record_uint(block[3])),
	};

	trm_writer_record(maker->writer, function_node(maker, path, "pack"), pairs, 7);
}

#define BLOCK(...) ((const uint64_t[]){__VA_ARGS__})

/* Two processes, three intervals, in the second of which nothing ran. */
static void write_intervals(void)
{
	struct maker maker = begin_profile("a.trm", false);

	add_global(&maker, "run.measure", record_string("blocks"));
	add_image(&maker, 10, ZIP, 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "pack", 0x100, 1);
	add(&maker, ZIP, BLOCK(0x110, 3, 5, 3));
	add(&maker, ZIP, BLOCK(0x100, 2, 7, 1));
	add(&maker, LIBC, BLOCK(0x100, 10, 1, 1));
	add_image(&maker, 11, ZIP, 1, "exited 0", NULL);
	add(&maker, ZIP, BLOCK(0x100, 2, 100, 1));
	add(&maker, ZIP, BLOCK(0x110, 3, 0, 2));
	add_interval(&maker, 3, 2000, 3000);
	add_interval(&maker, 1, 0, 1000);
	add_interval(&maker, 2, 1000, 2000);
	end_profile(&maker);
}

static struct vectors vectors_of(const char *words)
{
	char *output, *errors;

	assert_int_equal(run_command(&cmd_bbv, words, &output, &errors), 0);
	assert_non_null(strstr(errors, "trammel: vectors written: "));
	struct vectors vectors = read_vectors(output);

	free(output);
	free(errors);
	return vectors;
}

/* Blocks are numbered as they come. */
static void test_vectors(void **state)
{
	(void)state;
	write_intervals();
	struct vectors vectors = vectors_of("a.trm");

	assert_int_equal(vectors.lines, 2);
	assert_int_equal(vectors.sums[0][1], 0);
	assert_int_equal(vectors.sums[0][2], 2 * 107);
	assert_int_equal(vectors.sums[0][3], 10);
	assert_int_equal(vectors.sums[1][1], 3 * 5);
	assert_int_equal(vectors.sums[1][2] + vectors.sums[1][3], 0);
}

static void test_filters(void **state)
{
	(void)state;
	write_intervals();
	struct vectors vectors = vectors_of("--process 11 a.trm");

	assert_int_equal(vectors.lines, 1);
	assert_int_equal(vectors.sums[0][2], 200);
	vectors = vectors_of("--module libc* a.trm");
	assert_int_equal(vectors.lines, 1);
	assert_int_equal(vectors.sums[0][1], 10);
}

static void test_files(void **state)
{
	char *text;

	(void)state;
	write_intervals();
	check_command(&cmd_bbv, "-o a.bb -t a.table a.trm", 0, "",
		      "trammel: vectors written: 2, of blocks: 3\n");
	text = read_text("a.table");
	assert_string_equal(text, "vector\t1\t1\t0\t1000\t224\n"
				  "vector\t2\t3\t2000\t3000\t15\n"
				  "block\t1\t0x110\t3\t" ZIP "\tpack\n"
				  "block\t2\t0x100\t2\t" ZIP "\tpack\n"
				  "block\t3\t0x100\t10\t" LIBC "\tpack\n");
	free(text);
	text = read_text("a.bb");
	assert_string_equal(text, "T:2:214 :3:10\nT:1:15\n");
	free(text);
}

static void test_refused(void **state)
{
	(void)state;
	write_intervals();
	check_command(&cmd_bbv, "", 2, "",
		      "trammel: one profile is read, not 0: trammel bbv FILE\n");
	check_command(&cmd_bbv, "--process 12 a.trm", 2, "",
		      "trammel: no process 12 in this profile: trammel report --by "
		      "process shows those that are\n");
	check_command(&cmd_bbv, "--module nix a.trm", 2, "",
		      "trammel: nothing in 'a.trm' is of what was asked for\n");

	struct maker maker = begin_profile("a.trm", false);

	add_image(&maker, 10, ZIP, 1, "exited 0", NULL);
	add_calls(&maker, ZIP, "pack", 0x100, 1);
	add_block(&maker, ZIP, "pack", 0x100, BLOCK(0x100, 4, 2, 1));
	end_profile(&maker);
	check_command(&cmd_bbv, "a.trm", 2, "",
		      "trammel: no intervals in 'a.trm': measure with trammel run -m "
		      "blocks --interval 10ms\n");
	maker = begin_profile("a.trm", false);
	add_calls(&maker, ZIP, "pack", 0x100, 1);
	end_profile(&maker);
	check_command(&cmd_bbv, "a.trm", 2, "",
		      "trammel: no counts of blocks in 'a.trm': measure with trammel run "
		      "-m blocks --interval 10ms\n");
	maker = begin_profile("a.trm", false);
	add_global(&maker, "run.measure", record_string("blocks"));
	add_calls(&maker, ZIP, "pack", 0x100, 1);
	end_profile(&maker);
	check_command(&cmd_bbv, "a.trm", 2, "",
		      "trammel: no counts of blocks in 'a.trm', though its run counted "
		      "them: functions that cannot be moved (as Go's) are counted at "
		      "their entry only\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
