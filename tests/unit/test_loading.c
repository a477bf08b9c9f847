/* What ld.so calls when it has mapped a program is found in the one of this system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "image/open.h"
#include "session/cache/loader.h"
#include "session/follow/loading.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>

#define LOADER "/lib64/ld-linux-x86-64.so.2"

static uint64_t address_in(const char *path, uint64_t *ret_size)
{
	struct image *image;
	uint64_t address;

	assert_null(image_open(path, NULL, &image));
	address = loader_done_address(image);
	*ret_size = 0;
	vector_for_each (&image->functions, function)
		if (function->address == address)
			*ret_size = function->size;
	image_close(image);
	return address;
}

static void test_loader(void **state)
{
	int minor = 0;
	uint64_t size;

	(void)state;
	sscanf(gnu_get_libc_version(), "2.%d", &minor);
	if (minor < 34)
		skip();
	assert_int_not_equal(address_in(LOADER, &size), 0);
	assert_in_range(size, 20, 1024);
}

static void test_programs_are_none(void **state)
{
	uint64_t size;

	(void)state;
	assert_int_equal(address_in("/proc/self/exe", &size), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loader),
		cmocka_unit_test(test_programs_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
