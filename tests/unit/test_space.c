/*
 * What a forked process has of its parent's mappings, made or half made by another thread
 * at the moment of the fork.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "control/maps.h"
#include "session/state/session.h"
#include "session/state/space.h"

#include <sys/mman.h>
#include <unistd.h>

#define STRIDE 0x10000u
#define BANKS  4u

enum state { ABSENT, RESERVED, HALF, WHOLE, STATES };

/* A range of that many bytes in such a state of being mapped. */
static uint64_t map(enum state state, size_t size, int protection, int flags)
{
	char *place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t mapped = state == WHOLE ? size : state == HALF ? size / 2 : 0;

	assert_ptr_not_equal(place, MAP_FAILED);
	if (mapped)
		assert_ptr_equal(mmap(place, mapped, protection,
				      flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
				 place);
	if (state == ABSENT)
		munmap(place, size);
	return (uint64_t)(uintptr_t)place;
}

static void drop_unmapped(struct space *space)
{
	struct maps maps = {0};

	assert_null(maps_read(getpid(), &maps));
	space_drop_unmapped(space, &maps);
	maps_deinit(&maps);
}

static void test_banks(void **state)
{
	struct arena arena = {0};
	struct family family = {.arena = &arena};
	struct space space = {.family = &family};
	struct arena_chunk chunks[1 + STATES] = {{.references = 2}};

	(void)state;
	vector_push(&space.chunks, &chunks[0]);
	for (enum state i = ABSENT; i < STATES; i++) {
		uint64_t address =
			map(i, STRIDE * BANKS, PROT_READ | PROT_WRITE, MAP_SHARED);

		chunks[1 + i] = (struct arena_chunk){.address = address,
						     .stride = STRIDE,
						     .bank_count = BANKS,
						     .references = 2};
		vector_push(&space.chunks, &chunks[1 + i]);
	}
	drop_unmapped(&space);
	assert_int_equal(space.chunks.count, 2);
	assert_ptr_equal(space.chunks.items[0], &chunks[0]);
	assert_ptr_equal(space.chunks.items[1], &chunks[1 + WHOLE]);
	assert_int_equal(chunks[1 + RESERVED].references, 1);
	assert_int_equal(chunks[1 + WHOLE].references, 2);
	vector_deinit(&space.chunks);
}

static void test_modules(void **state)
{
	struct space space = {0};

	(void)state;
	/* One without trampolines; it counts nothing. */
	vector_push(&space.modules, ((struct module){.bias = STATES}));
	for (enum state i = ABSENT; i < STATES; i++)
		vector_push(&space.modules,
			    ((struct module){
				    .bias = i,
				    .code_address = map(i, STRIDE, PROT_READ | PROT_EXEC,
							MAP_PRIVATE),
				    .code_size = STRIDE,
			    }));
	drop_unmapped(&space);
	assert_int_equal(space.modules.count, 3);
	vector_for_each (&space.modules, module)
		assert_true(module->bias >= HALF);
	vector_deinit(&space.modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_banks),
		cmocka_unit_test(test_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
