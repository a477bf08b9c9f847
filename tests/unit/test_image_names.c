/* Files of which nothing but names is read, against all that is read. */
#include "base/vector.h"
#include "image/find.h"
#include "image/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const paths[] = {"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6"};

static void expect_same(const struct image *image, const struct image_function *function,
			const struct image *names, const struct image_function *other)
{
	assert_int_equal(function->address, other->address);
	assert_int_equal(function->size, other->size);
	assert_int_equal(function->part_of, other->part_of);
	assert_string_equal(image->names.items + function->name,
			    names->names.items + other->name);
}

static struct image *open_both(const char *path, const struct image_wanted *wanted,
			       struct image **ret_names)
{
	struct image *image;

	if (image_open(path, NULL, &image))
		skip();
	assert_null(image_open_names(image->bytes, image->size, path, true, wanted,
				     ret_names));
	assert_int_equal((*ret_names)->build_id_size, image->build_id_size);
	assert_int_equal((*ret_names)->functions.count + (*ret_names)->left_out,
			 image->functions.count);
	return image;
}

static void test_all_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct image *names, *image = open_both(paths[i], NULL, &names);

		assert_int_equal(names->left_out, 0);
		assert_int_equal(names->parts.count, image->parts.count);
		for (size_t at = 0; at < image->functions.count; at++)
			expect_same(image, &image->functions.items[at], names,
				    &names->functions.items[at]);
		for (size_t at = 0; at < image->parts.count; at++)
			expect_same(image, &image->parts.items[at], names,
				    &names->parts.items[at]);
		image_close(names);
		image_close(image);
	}
}

/* Around each address there is what there is with all of them. */
static void check_wanted(const char *path, uint64_t step)
{
	struct VECTOR(uint64_t) addresses = {0};
	struct image_wanted wanted = {0};
	struct image *names, *image = open_both(path, NULL, &names);

	image_close(names);
	for (uint64_t at = image->base; at < image->end; at += step)
		vector_push(&addresses, at);
	wanted = (struct image_wanted){addresses.items, addresses.count};
	image_close(image);
	image = open_both(path, &wanted, &names);
	vector_for_each (&addresses, address) {
		const struct image_function *function = image_function_around(image,
									      *address),
					    *other = image_function_around(names,
									   *address);

		assert_true(!function == !other);
		if (function)
			expect_same(image, function, names, other);
	}
	assert_true(names->left_out > 0 && names->names.count < image->names.count);
	image_close(names);
	image_close(image);
	vector_deinit(&addresses);
}

static void test_wanted_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		for (uint64_t step = 997; step < 100000; step *= 3)
			check_wanted(paths[i], step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_names),
		cmocka_unit_test(test_wanted_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
