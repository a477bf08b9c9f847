/* What runs taught, in memory and in a file. */
#include "session/cache/feedback_file.h"

#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEY = 0x1234 };

static char folder[64], path[128];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_learned.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	sprintf(path, "%s/%016x.frequencies", folder, KEY);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); /* nothing else was left in it */
}

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(frequency_of(0), 0);
	assert_true(frequency_number(0) == 0);
	for (double number = 1; number < 1e19; number *= 1.37) {
		double again = (double)frequency_number(frequency_of((float)number));

		assert_true(again <= number * 1.000001 && again > number * 0.995);
	}
	for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
		float number = frequency_number((frequency)bits);

		assert_true(number >= 0 && number < 1e25f);
	}
}

/* Without blocks, or edges, nothing is known of these. */
static void add(struct frequencies *frequencies, uint64_t address, uint32_t blocks,
		uint32_t edges, uint64_t count)
{
	const struct plan_function function = {
		.address = address, .block_count = blocks, .edge_count = edges};
	uint64_t counts[64];

	for (size_t i = 0; i < 64; i++)
		counts[i] = count;
	frequencies_add(frequencies, &function,
			&(const struct edges_counts){.blocks = blocks ? counts : NULL,
						     .edges = edges ? counts : NULL});
}

static double found(const struct frequencies *frequencies, uint64_t address,
		    uint32_t blocks, uint32_t edges)
{
	struct frequencies_known known =
		frequencies_find(frequencies, address, blocks, edges);
	const frequency *values = known.blocks; /* those of edges follow */

	if (!known.edges)
		return -1;
	for (uint32_t i = 1; i < blocks + edges; i++)
		assert_int_equal(values[i], values[0]);
	return (double)frequency_number(values[0]);
}

static void test_merge(void **state)
{
	struct frequencies known = {0}, run = {0}, sum;

	(void)state;
	add(&known, 10, 3, 4, 800);
	add(&known, 20, 1, 2, 64);
	add(&known, 40, 2, 2, 8);
	add(&run, 5, 2, 3, 7);
	add(&run, 10, 3, 4, 100);
	add(&run, 40, 2, 3, 9); /* in another shape */
	add(&run, 50, 1, 1, 1);
	assert_true(frequencies_are_sound(&known) && frequencies_are_sound(&run));
	frequencies_merge(&known, &run, &sum);
	assert_true(frequencies_are_sound(&sum));
	assert_int_equal(sum.rows.count, 5);
	assert_true(found(&sum, 5, 2, 3) == 7);
	assert_true(found(&sum, 10, 3, 4) == 800); /* 7/8 of it, and 100 */
	assert_true(found(&sum, 20, 1, 2) == 56);
	assert_true(found(&sum, 40, 2, 3) == 9);
	assert_true(found(&sum, 50, 1, 1) == 1);
	assert_true(found(&sum, 40, 2, 2) < 0 && found(&sum, 11, 3, 4) < 0);
	assert_true(found(&sum, 60, 1, 1) < 0);
	frequencies_deinit(&sum);
	frequencies_merge(&sum, &known, &sum);
	assert_int_equal(sum.rows.count, 3);
	frequencies_deinit(&sum);
	frequencies_deinit(&known);
	frequencies_deinit(&run);
}

/* Of functions that more or less is known of. */
static void test_shapes(void **state)
{
	struct frequencies known = {0}, run = {0}, sum;
	struct frequencies_known found_now;

	(void)state;
	add(&known, 10, 3, 4, 800);
	add(&known, 20, 3, 4, 800);
	add(&known, 30, 0, 0, 0);
	add(&known, 40, 3, 0, 1);
	add(&known, 50, 0, 0, 0);
	add(&run, 10, 0, 0, 0);
	add(&run, 20, 3, 0, 100);
	add(&run, 30, 3, 0, 1);
	add(&run, 40, 3, 4, 8);
	frequencies_merge(&known, &run, &sum);
	assert_true(frequencies_are_sound(&sum));
	assert_int_equal(sum.rows.count, 5);
	assert_true(found(&sum, 10, 3, 4) == 700); /* it ran, nobody knows how often */
	found_now = frequencies_find(&sum, 20, 3, 4);
	assert_true(frequency_number(found_now.blocks[2]) == 800);
	assert_true(frequency_number(found_now.edges[3]) == 700);
	found_now = frequencies_find(&sum, 30, 3, 4);
	assert_true(!found_now.edges && frequency_number(found_now.blocks[0]) == 1);
	assert_true(!frequencies_find(&sum, 30, 2, 4).blocks);
	assert_true(found(&sum, 40, 3, 4) == 8);
	found_now = frequencies_find(&sum, 50, 3, 4);
	assert_true(!found_now.edges && !found_now.blocks);
	assert_true(frequencies_know(&sum, 50) && !frequencies_know(&sum, 51));
	frequencies_deinit(&sum);
	frequencies_deinit(&known);
	frequencies_deinit(&run);
}

/* The same runs again and again change nothing in the end, and all is forgotten once. */
static void test_rest(void **state)
{
	struct frequencies known = {0}, run = {0}, none = {0}, sum;

	(void)state;
	add(&run, 10, 1, 1, 1000);
	for (int i = 0; i < 100; i++) {
		frequencies_merge(&known, &run, &sum);
		frequencies_deinit(&known);
		known = sum;
	}
	assert_true(fabs(found(&known, 10, 1, 1) - 8000) < 400);
	for (int i = 0; i < 200; i++) {
		frequencies_merge(&known, &none, &sum);
		frequencies_deinit(&known);
		known = sum;
	}
	assert_true(found(&known, 10, 1, 1) < 1);
	frequencies_deinit(&known);
	frequencies_deinit(&run);
}

static void test_soundness(void **state)
{
	struct frequencies good = {0};
	struct frequencies_row row;

	(void)state;
	assert_true(frequencies_are_sound(&good));
	add(&good, 10, 3, 4, 1);
	add(&good, 20, 1, 2, 1);
	row = good.rows.items[1];
	good.rows.items[1].address = 10;
	assert_false(frequencies_are_sound(&good));
	good.rows.items[1] = row;
	good.rows.items[1].first++;
	assert_false(frequencies_are_sound(&good));
	good.rows.items[1] = row;
	good.rows.items[1].edge_count = UINT32_MAX;
	assert_false(frequencies_are_sound(&good));
	good.rows.items[1] = row;
	good.values.count--;
	assert_false(frequencies_are_sound(&good));
	good.values.count += 2;
	assert_false(frequencies_are_sound(&good));
	good.values.count--;
	assert_true(frequencies_are_sound(&good));
	frequencies_deinit(&good);
}

static bool is_empty(const struct feedback *learned)
{
	return !learned->frequencies.rows.count && !learned->frequencies.values.count &&
	       !learned->runs && !feedback_generation(learned, 1);
}

static void save(struct feedback *ret_learned)
{
	*ret_learned = (struct feedback){.runs = 4};
	add(&ret_learned->frequencies, 10, 3, 4, 800);
	add(&ret_learned->frequencies, 20, 1, 2, 64);
	assert_true(feedback_save(folder, KEY, ret_learned));
}

static void test_file(void **state)
{
	struct feedback saved, loaded;

	(void)state;
	feedback_load(folder, KEY, &loaded);
	assert_true(is_empty(&loaded));
	save(&saved);
	feedback_load(folder, KEY, &loaded);
	assert_int_equal(loaded.runs, 4);
	assert_int_equal(loaded.frequencies.rows.count, 2);
	assert_true(found(&loaded.frequencies, 10, 3, 4) == 800);
	assert_true(found(&loaded.frequencies, 20, 1, 2) == 64);
	assert_int_equal(feedback_generation(&loaded, 3), feedback_generation(&saved, 3));
	assert_int_equal(feedback_plans(feedback_generation(&loaded, 3)), 3);
	assert_true(feedback_generation(&loaded, 3) < feedback_generation(&loaded, 4));
	loaded.frequencies.values.items[4]++;
	assert_int_not_equal(feedback_generation(&loaded, 3),
			     feedback_generation(&saved, 3));
	feedback_deinit(&loaded);
	feedback_load(folder, KEY + 1, &loaded);
	assert_true(is_empty(&loaded));
	/* Others may not write to it. */
	assert_int_equal(chmod(path, 0620), 0);
	feedback_load(folder, KEY, &loaded);
	assert_true(is_empty(&loaded));
	assert_false(feedback_save("/nowhere", KEY, &saved));
	feedback_deinit(&saved);
}

static void write_file(const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

/* Whatever byte is another one, and wherever it is cut off, nothing is believed. */
static void test_damage(void **state)
{
	struct feedback saved, loaded;
	char bytes[256];
	int fd;
	size_t size;

	(void)state;
	save(&saved);
	fd = open(path, O_RDONLY);
	size = (size_t)read(fd, bytes, sizeof(bytes));
	close(fd);
	assert_true(size > 64 && size < sizeof(bytes));
	for (size_t i = 0; i <= size; i++) {
		write_file(bytes, i);
		feedback_load(folder, KEY, &loaded);
		assert_int_equal(is_empty(&loaded), i < size);
		feedback_deinit(&loaded);
		if (i == size)
			break;
		bytes[i] ^= 0x10;
		write_file(bytes, size);
		bytes[i] ^= 0x10;
		feedback_load(folder, KEY, &loaded);
		assert_true(is_empty(&loaded));
	}
	bytes[size] = 0;
	write_file(bytes, size + 1);
	feedback_load(folder, KEY, &loaded);
	assert_true(is_empty(&loaded));
	feedback_deinit(&saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_soundness),
		cmocka_unit_test_setup_teardown(test_file, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_damage, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
