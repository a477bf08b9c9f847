/* Rows of all kinds come by the groups that they are saved in; residues of one place are
 * summed up. */
#include "session/profile/groups.h"
#include "session/position/residues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define ADD(rows, type, ...) vector_push(&image.rows, ((struct type){__VA_ARGS__}))

static void add_residue(struct image_run *image, uint32_t interval, uint32_t thread,
			uint32_t file, uint64_t address, int by)
{
	vector_push(&image->residues,
		    ((struct image_residue){.interval = interval,
					    .thread = thread,
					    .file = file,
					    .residue = {.address = address, .by = by}}));
}

static void assert_next(const struct image_run *image, struct group *group,
			uint32_t interval, uint32_t thread, uint32_t file,
			const size_t counts[3])
{
	assert_true(groups_next(image, group));
	assert_int_equal(group->key.interval, interval);
	assert_int_equal(group->key.thread, thread);
	assert_int_equal(group->key.file, file);
	assert_int_equal(group->count_count, counts[0]);
	assert_int_equal(group->arc_count, counts[1]);
	assert_int_equal(group->residue_count, counts[2]);
}

#define NEXT(interval, thread, file, ...)                                                \
	assert_next(&image, &group, interval, thread, file, (const size_t[]){__VA_ARGS__})

/* Phases part groups, too. */
static void test_phases(void **state)
{
	struct image_run image = {0};
	struct group group = groups_begin(&image);

	(void)state;
	vector_push(&image.counts,
		    ((struct image_count){.phase = 1, .file = 2, .count = 1}));
	vector_push(&image.counts,
		    ((struct image_count){.phase = 3, .file = 1, .count = 1}));
	vector_push(
		&image.residues,
		((struct image_residue){.phase = 2, .file = 1, .residue = {.by = 1}}));
	group = groups_begin(&image);
	for (uint32_t phase = 1; phase <= 3; phase++) {
		assert_true(groups_next(&image, &group));
		assert_int_equal(group.key.phase, phase);
		assert_int_equal(group.count_count, phase != 2);
		assert_int_equal(group.residue_count, phase == 2);
	}
	assert_false(groups_next(&image, &group));
	vector_deinit(&image.counts);
	vector_deinit(&image.residues);
}

static void close_image(struct image_run *image)
{
	vector_deinit(&image->counts);
	vector_deinit(&image->arcs);
	vector_deinit(&image->residues);
}

static void test_groups(void **state)
{
	struct image_run image = {0};
	struct group group = groups_begin(&image);

	(void)state;
	assert_false(groups_next(&image, &group));
	ADD(counts, image_count, 0, 7, .file = 1, .count = 1);
	ADD(counts, image_count, 0, 7, .file = 1, .count = 1);
	ADD(counts, image_count, 2, 7, .file = 0, .count = 1);
	ADD(arcs, image_arc, 0, 7, .file = 0, .count = 1);
	ADD(arcs, image_arc, 0, 7, .file = 1, .count = 1);
	ADD(arcs, image_arc, 3, 7, .file = 1, .count = 1);
	add_residue(&image, 0, 7, 1, 0x10, 1);
	add_residue(&image, 1, 7, 1, 0x10, -1);
	add_residue(&image, 2, 8, 0, 0x20, 1);
	add_residue(&image, 2, 8, 0, 0x30, 1);
	group = groups_begin(&image);
	NEXT(0, 7, 0, 0, 1, 0);
	NEXT(0, 7, 1, 2, 1, 1);
	NEXT(1, 7, 1, 0, 0, 1);
	assert_int_equal(group.residues->residue.by, -1);
	NEXT(2, 7, 0, 1, 0, 0);
	NEXT(2, 8, 0, 0, 0, 2);
	NEXT(3, 7, 1, 0, 1, 0);
	assert_false(groups_next(&image, &group));
	assert_false(groups_next(&image, &group));
	close_image(&image);
}

static struct image_run image_of_two(void)
{
	struct image_run image = {0};

	add_residue(&image, 1, 9, 0, 0x20, -1);
	add_residue(&image, 1, 8, 0, 0x20, -1);
	add_residue(&image, 0, 9, 0, 0x20, 1);
	add_residue(&image, 1, 8, 0, 0x10, 1);
	add_residue(&image, 1, 9, 0, 0x20, 1);
	add_residue(&image, 0, 8, 0, 0x20, 1);
	return image;
}

static void assert_residue(const struct image_run *image, size_t at, uint32_t interval,
			   uint32_t thread, uint64_t address, int by)
{
	const struct image_residue *residue = &image->residues.items[at];

	assert_true(at < image->residues.count);
	assert_int_equal(residue->interval, interval);
	assert_int_equal(residue->thread, thread);
	assert_int_equal(residue->residue.address, address);
	assert_int_equal(residue->residue.by, by);
}

static void test_residues(void **state)
{
	struct image_run image = image_of_two();

	(void)state;
	residues_sort(&image, true, true);
	assert_int_equal(image.residues.count, 4);
	assert_residue(&image, 0, 0, 8, 0x20, 1);
	assert_residue(&image, 1, 0, 9, 0x20, 1);
	assert_residue(&image, 2, 1, 8, 0x10, 1);
	assert_residue(&image, 3, 1, 8, 0x20, -1);
	/* Of all threads. */
	residues_sort(&image, false, true);
	assert_int_equal(image.residues.count, 3);
	assert_residue(&image, 0, 0, 0, 0x20, 2);
	assert_residue(&image, 1, 1, 0, 0x10, 1);
	assert_residue(&image, 2, 1, 0, 0x20, -1);
	close_image(&image);
	/* Each for itself. */
	image = image_of_two();
	residues_sort(&image, true, false);
	assert_int_equal(image.residues.count, 6);
	close_image(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_residues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
