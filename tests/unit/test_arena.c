/* Flags of banks: which are told, which are marked, and where a bank ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "control/arena.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, NARROW = 32 * 1024, WIDE = 128 * 1024, OWNER = 1 };

struct told {
	uint32_t count, last;
};

static void tell(void *context, uint32_t slot, uint64_t count)
{
	struct told *told = context;

	told->count += (uint32_t)count;
	told->last = slot;
}

static struct arena *make_arena(void)
{
	const int fd = memfd_create("arena", arena_memfd_flags());
	struct arena *arena = NULL;

	assert_return_code(fd, 0);
	assert_null(arena_create(fd, 0x10000000, NARROW, 4, sizeof(uint8_t), &arena));
	return arena;
}

static struct bank *take_bank(struct arena *arena, size_t chunk)
{
	struct bank *bank = arena_take_bank(arena, arena->chunks.items[chunk], OWNER, 1);

	assert_non_null(bank);
	return bank;
}

static uint8_t *flag(const struct bank *bank, uint32_t slot)
{
	return (uint8_t *)bank->shared + WIRE_BANK_HEADER + slot;
}

static bool is_hole(const struct arena *arena, const struct bank *bank, uint32_t slot)
{
	const off_t at = (off_t)((bank->file_offset + WIRE_BANK_HEADER + slot) &
				 ~(uint64_t)(PAGE - 1));

	return lseek(arena->fd, at, SEEK_HOLE) == at;
}

static void test_flags_are_told_when_set_again(void **state)
{
	struct arena *arena = make_arena();
	struct bank *bank = take_bank(arena, 0);
	struct told told = {0};

	(void)state;
	*flag(bank, 10) = 1;
	*flag(bank, 5003) = 1;
	arena_mark_flags(arena, bank, false, tell, &told);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.last, 5003);
	assert_false(arena_mark_some(bank, 0, 6000));
	*flag(bank, 5003) = 1;
	assert_false(arena_mark_some(bank, 0, 5003));
	assert_false(arena_mark_some(bank, 5004, 100));
	assert_true(arena_mark_some(bank, 5003, 1));
	assert_false(arena_mark_some(bank, 5003, 1));

	told = (struct told){0};
	arena_read_bank(arena, bank, tell, &told);
	assert_int_equal(told.count, 2);
	arena_release(arena);
}

static void test_holes_stay_holes(void **state)
{
	struct arena *arena = make_arena();
	struct bank *bank = take_bank(arena, 0);
	struct told told = {0};

	(void)state;
	*flag(bank, 0) = 1;
	arena_mark_flags(arena, bank, false, tell, &told);
	assert_int_equal(told.count, 1);
	assert_false(arena_mark_some(bank, 0, NARROW - WIRE_BANK_HEADER));
	assert_false(is_hole(arena, bank, 0));
	assert_true(is_hole(arena, bank, PAGE));
	arena_release(arena);
}

/* Where the flags would be that a narrow bank does not have, another bank has its own. */
static void test_narrow_banks_have_no_flags_of_later_modules(void **state)
{
	struct arena *arena = make_arena();
	struct arena_chunk *chunk;
	struct bank *narrow, *beside, *wide;
	struct told told = {0};
	uint64_t offset;

	(void)state;
	assert_null(arena_allocate(arena, WIDE, &offset));
	assert_null(arena_add_chunk(arena, offset, 0x20000000, WIDE, 1, &chunk));
	narrow = take_bank(arena, 0);
	beside = take_bank(arena, 0);
	wide = take_bank(arena, 1);
	memset(narrow->pages, true, NARROW / PAGE + 1);
	*flag(beside, 7) = 1;
	*flag(wide, NARROW + 7) = 1;
	arena_mark_flags(arena, wide, false, tell, &told);
	assert_int_equal(told.count, 1);
	*flag(wide, NARROW + 7) = 1;

	assert_false(arena_mark_some(narrow, NARROW, 100));
	assert_false(arena_mark_some(narrow, NARROW - WIRE_BANK_HEADER, 2 * NARROW));
	assert_false(arena_mark_some(narrow, 1 << 30, 100));
	assert_int_equal(*flag(beside, 7), 1);
	assert_true(arena_mark_some(wide, NARROW, 100));
	arena_release(arena);
}

/* What is given back is given out again, however it was cut. */
static void test_free_places_are_used_again(void **state)
{
	struct arena *arena = make_arena();
	const uint64_t before = arena_memory(arena);
	uint64_t places[4], size = arena->file_size, offset;
	char bytes[3 * PAGE];

	(void)state;
	memset(bytes, 1, sizeof(bytes));
	for (size_t i = 0; i < 4; i++) {
		assert_null(arena_allocate(arena, sizeof(bytes) - 1, &places[i]));
		assert_int_equal(places[i], size + i * sizeof(bytes));
		assert_int_equal(
			pwrite(arena->fd, bytes, sizeof(bytes), (off_t)places[i]),
			sizeof(bytes));
	}
	size = arena->file_size;
	assert_int_equal(arena_memory(arena), before + 4 * sizeof(bytes));
	arena_free(arena, places[0], sizeof(bytes));
	arena_free(arena, places[2], sizeof(bytes));
	assert_int_equal(arena->free.count, 2);
	arena_free(arena, places[1], sizeof(bytes));
	assert_int_equal(arena->free.count, 1);
	assert_int_equal(arena_memory(arena), before + sizeof(bytes));
	assert_null(arena_allocate(arena, 8 * PAGE, &offset));
	assert_int_equal(offset, places[0]);
	assert_null(arena_allocate(arena, 2 * PAGE, &offset));
	assert_int_equal(offset, size);
	assert_null(arena_allocate(arena, PAGE, &offset));
	assert_int_equal(offset, places[0] + 8 * PAGE);
	assert_int_equal(arena->free.count, 0);
	assert_int_equal(pread(arena->fd, bytes, PAGE, (off_t)offset), PAGE);
	assert_int_equal(bytes[0], 0);
	arena_release(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags_are_told_when_set_again),
		cmocka_unit_test(test_holes_stay_holes),
		cmocka_unit_test(test_narrow_banks_have_no_flags_of_later_modules),
		cmocka_unit_test(test_free_places_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
