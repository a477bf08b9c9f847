/*
 * Room for the code of modules that lie side by side: what is kept for one is promised to
 * no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "code/plan/request.h"
#include "control/maps.h"
#include "session/modules/code_addresses.h"

#include <sys/mman.h>
#include <unistd.h>

/* Bytes of text. Large ones need more room than they have themselves, side by side. */
enum { LARGE = 40 << 20, SMALL = 1 << 20 };

/* Nothing else is mapped for some GiB around. */
#define FIRST 0x300000000000u

static void map_text(uint64_t address, size_t size)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_ptr_equal(mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0),
			 (void *)(uintptr_t)address);
	close(fd);
}

static const struct mapping *mapping_at(const struct session *session, uint64_t address)
{
	vector_for_each (&session->maps.mappings, mapping)
		if (mapping->start == address)
			return mapping;
	fail();
	return NULL;
}

static void test_neighbours(void **state)
{
	const struct collector collector = {.depth = PLAN_EDGES};
	const struct session_options options = {.collector = &collector};
	struct session session = {.options = &options};
	struct space space = {0};
	const struct mapping *one, *two, *small;

	(void)state;
	map_text(FIRST, LARGE);
	map_text(FIRST + LARGE, LARGE);
	map_text(FIRST + 2 * LARGE, SMALL);
	assert_null(maps_read(getpid(), &session.maps));
	one = mapping_at(&session, FIRST);
	two = mapping_at(&session, FIRST + LARGE);
	small = mapping_at(&session, FIRST + 2 * LARGE);
	assert_true(code_addresses_promise(&session, &space, one, 0));
	assert_true(code_addresses_promise(&session, &space, two, 0));
	code_addresses_reserve(&session, &space, one, 0);
	assert_true(code_addresses_promise(&session, &space, one, 0));
	assert_false(code_addresses_promise(&session, &space, two, 0));
	assert_true(code_addresses_promise(&session, &space, two, 1));
	assert_true(code_addresses_promise(&session, &space, small, 0));
	/* It has one place at a time. */
	code_addresses_reserve(&session, &space, one, 1);
	assert_true(code_addresses_promise(&session, &space, two, 0));
	assert_false(code_addresses_promise(&session, &space, two, 1));
	code_addresses_release(&space, one);
	assert_true(code_addresses_promise(&session, &space, two, 1));
	assert_int_equal(space.promises.count, 0);
	vector_deinit(&space.promises);
	maps_deinit(&session.maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
