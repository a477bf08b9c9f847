/*
 * A plan that is made function by function, in any order, says of each function what one
 * made at once does, but for where its code lies: of libraries that this machine has.
 */
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "image/contents.h"
#include "image/open.h"
#include "plan_image.h"
#include "sanitized.h"

#include "code/planner/lazy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { CODE = 0x100000, HOOK = 7, ENTRY = 0x128 };

static const struct lazy_limits unlimited = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

struct pair {
	struct image *image, *lazy_image;
	struct plan *whole, *plan;
	struct lazy *lazy;
};

static void open_pair(struct pair *pair, const char *path, enum plan_depth depth,
		      bool copy_calls)
{
	struct plan_request request = {.depth = depth,
				       .copy_calls = copy_calls,
				       .hook_own = 16,
				       .hook_stack = 17,
				       .hook_layout = {.entry = ENTRY}};

	assert_null(image_open(path, NULL, &pair->image));
	request.image = pair->image;
	request.code_address = pair->image->end + CODE;
	assert_null(plan_create(&request, &pair->whole));
	assert_null(image_open(path, NULL, &pair->lazy_image));
	request.image = pair->lazy_image;
	request.hook_lazy = HOOK;
	assert_null(lazy_create(&request, &pair->plan, &pair->lazy));
	assert_int_equal(pair->whole->functions.count, pair->plan->functions.count);
}

static void close_pair(struct pair *pair)
{
	lazy_destroy(pair->lazy);
	plan_destroy(pair->plan);
	plan_destroy(pair->whole);
	image_close(pair->image);
	image_close(pair->lazy_image);
}

static bool is_planned(const struct plan *plan, const struct plan_function *row)
{
	return row->place < plan->placed;
}

/* Where code lies, and counters are, is not the same. */
static void check_blocks(const struct pair *pair, const struct plan_function *a,
			 const struct plan_function *b)
{
	assert_int_equal(a->block_count, b->block_count);
	assert_int_equal(a->edge_count, b->edge_count);
	assert_int_equal(a->map_row_count, b->map_row_count);
	assert_int_equal(a->stub_count, b->stub_count);
	for (uint32_t i = 0; i < a->block_count; i++) {
		const struct plan_block *x =
			&pair->whole->blocks.items[a->first_block + i];
		const struct plan_block *y =
			&pair->plan->blocks.items[b->first_block + i];

		assert_int_equal(x->offset, y->offset);
		assert_int_equal(x->size, y->size);
		assert_int_equal(x->instructions, y->instructions);
		assert_int_equal(x->flags, y->flags);
		assert_int_equal(x->slot == UINT32_MAX, y->slot == UINT32_MAX);
		assert_int_equal(x->term_count, y->term_count);
	}
	for (uint32_t i = 0; i < a->edge_count; i++) {
		const struct plan_edge *x = &pair->whole->edges.items[a->first_edge + i];
		const struct plan_edge *y = &pair->plan->edges.items[b->first_edge + i];

		assert_int_equal(x->from, y->from);
		assert_int_equal(x->to, y->to);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->flags, y->flags);
		assert_int_equal(x->slot == UINT32_MAX, y->slot == UINT32_MAX);
	}
}

static void check_function(const struct pair *pair, uint32_t index)
{
	const struct plan_function *a = &pair->whole->functions.items[index];
	const struct plan_function *b = &pair->plan->functions.items[index];

	assert_int_equal(a->address, b->address);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->name, b->name);
	assert_int_equal(a->part_of, b->part_of);
	assert_int_equal(a->flags, b->flags);
	if (!is_planned(pair->plan, b))
		return;
	assert_int_equal(a->reason, b->reason);
	assert_int_equal(a->hook, b->hook);
	check_blocks(pair, a, b);
}

/* In the order of their code they are in that of the code, the planned ones first. */
static void check_places(const struct plan *plan)
{
	uint32_t last = plan->latches_size;

	for (uint32_t place = 0; place < plan->functions.count; place++) {
		const struct plan_function *row = plan_by_code(plan, place);

		assert_int_equal(row->place, place);
		if (place >= plan->placed) {
			assert_int_equal(row->trampoline, PLAN_LATER);
			continue;
		}
		assert_true(row->trampoline >= last);
		assert_true(row->trampoline <= plan->code.count);
		last = row->trampoline;
	}
}

/* The text is changed at the same places. */
static void check_same_patches(const struct pair *pair)
{
	assert_int_equal(pair->whole->patches.count,
			 pair->plan->patches.count + pair->plan->late.count);
	for (size_t i = 0; i < pair->whole->patches.count; i++) {
		const struct plan_patch *a = &pair->whole->patches.items[i];
		const struct plan_patch *b = plan_patch_behind(pair->plan, a->address);

		assert_non_null(b);
		assert_int_equal(a->address, b->address);
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->function, b->function);
	}
}

static void check_patches(const struct plan *plan)
{
	for (size_t i = 1; i < plan->patches.count; i++)
		assert_true(plan->patches.items[i - 1].address +
				    plan->patches.items[i - 1].size <=
			    plan->patches.items[i].address);
}

static const uint8_t *original_at(void *context, uint64_t address, size_t size)
{
	return image_bytes_at(context, address, size);
}

/* A thread anywhere in front of the displaced instructions is at the entry still. */
static void check_latch(const struct pair *pair, const struct plan_latch *latch)
{
	const struct plan *plan = pair->plan;
	const struct plan_function *row = &plan->functions.items[latch->function];
	static const struct {
		uint32_t offset, stack;
	} stands[] = {{0, 0},    {5, 128}, {7, 136}, {15, 136},
		      {17, 136}, {25, 0},  {30, 136}};

	assert_int_equal(latch->code % 8, 0);
	assert_int_equal(lazy_function_at(plan, latch->code + 17), latch->function);
	for (size_t i = 0; i < sizeof(stands) / sizeof(stands[0]); i++) {
		struct plan_position place =
			plan_locate(plan, original_at, pair->lazy_image,
				    latch->code + stands[i].offset);

		assert_int_equal(place.kind, PLAN_POSITION_PROBE);
		assert_int_equal(place.function, latch->function);
		assert_int_equal(place.stack, stands[i].stack);
		assert_true(place.original - row->address <= 4);
	}
}

static void check_jump(const struct pair *pair, const struct plan_latch *latch)
{
	const struct plan *plan = pair->plan;
	uint32_t offset, to = plan->functions.items[latch->function].trampoline;
	uint64_t word;
	int32_t distance;

	assert_true(lazy_jump(plan, latch->function, &offset, &word));
	assert_int_equal(offset, latch->code);
	assert_int_equal(word & 0xff, 0xe9);
	memcpy(&distance, (const uint8_t *)&word + 1, sizeof(distance));
	assert_int_equal(offset + 5 + (uint32_t)distance, to);
	/* The rest is what a thread that has begun goes on with. */
	assert_memory_equal((const uint8_t *)&word + 5, plan->code.items + offset + 5, 3);
}

/* Its news are what is at the ends of the arrays, and all patches that are new. */
static void extend(const struct pair *pair, uint32_t function)
{
	const struct plan *plan = pair->plan;
	const size_t patches = plan->patches.count + plan->late.count;
	const uint32_t placed = plan->placed;
	struct lazy_news news;

	assert_true(lazy_extend(pair->lazy, function, &unlimited, &news));
	assert_int_equal(news.first_place, placed);
	assert_int_equal(news.end_place, plan->placed);
	assert_int_equal(plan->patches.count + plan->late.count,
			 patches + news.patches.count);
	assert_true(is_planned(plan, &plan->functions.items[function]));
	vector_deinit(&news.patches);
}

static void check(const char *path, enum plan_depth depth, bool copy_calls)
{
	struct pair pair;
	uint32_t count;

	if (access(path, R_OK))
		return;
	srand(1);
	open_pair(&pair, path, depth, copy_calls);
	count = (uint32_t)pair.plan->functions.count;
	assert_true(pair.plan->latches.count > count / 2);
	assert_true(pair.plan->placed < count / 2);
	check_patches(pair.plan);
	vector_for_each (&pair.plan->latches, latch)
		check_latch(&pair, latch);
	for (uint32_t i = 0; i < 2 * count; i++)
		extend(&pair, (uint32_t)rand() % count);
	check_places(pair.plan);
	for (uint32_t i = 0; i < count; i++)
		extend(&pair, i);
	assert_int_equal(pair.plan->placed, count);
	check_places(pair.plan);
	check_patches(pair.plan);
	check_same_patches(&pair);
	for (uint32_t i = 0; i < count; i++)
		check_function(&pair, i);
	vector_for_each (&pair.plan->latches, latch) {
		check_latch(&pair, latch);
		check_jump(&pair, latch);
	}
	close_pair(&pair);
}

static void extends_to_the_whole(void **state)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/bin/bash"};

	(void)state;
	for (size_t i = 0; i < TIMES(sizeof(paths) / sizeof(paths[0]), 2); i++)
		for (int copy = 0; copy < 2; copy++)
			check(paths[i], PLAN_EDGES, copy);
	check(paths[0], PLAN_BLOCKS, true);
}

/* Where there is no room the function goes on at its own place. */
static void ends_at_limits(void **state)
{
	const struct lazy_limits limits = {SIZE_MAX, 0, SIZE_MAX};
	struct lazy_news news;
	struct pair pair;
	uint32_t offset, function;
	int32_t distance;
	uint64_t word;

	(void)state;
	open_pair(&pair, "/lib/x86_64-linux-gnu/libc.so.6", PLAN_EDGES, false);
	const size_t code = pair.plan->code.count;

	function = pair.plan->latches.items[0].function;
	assert_false(lazy_extend(pair.lazy, function, &limits, &news));
	assert_int_equal(pair.plan->code.count, code);
	assert_int_equal(pair.plan->late.count, 0);
	assert_int_equal(news.patches.count, 0);
	assert_int_equal(pair.plan->functions.items[function].reason, PLAN_NO_SPACE);
	assert_true(lazy_jump(pair.plan, function, &offset, &word));
	memcpy(&distance, (const uint8_t *)&word + 1, sizeof(distance));

	struct plan_position place = plan_locate(pair.plan, original_at, pair.lazy_image,
						 offset + 5 + (uint32_t)distance);

	assert_int_equal(place.kind, PLAN_POSITION_START);
	close_pair(&pair);
}

/* A cold part jumps back into its function, which is wanted again then: it is not tried
 * for ever. */
static void ends_without_room_for_parts(void **state)
{
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";
	const struct lazy_limits limits = {SIZE_MAX, 0, SIZE_MAX};
	uint32_t parts = 0;
	struct pair pair;

	(void)state;
	if (access(path, R_OK))
		return;
	open_pair(&pair, path, PLAN_EDGES, false);
	vector_for_each (&pair.plan->latches, latch) {
		struct lazy_news news;

		lazy_extend(pair.lazy, latch->function, &limits, &news);
		vector_deinit(&news.patches);
	}
	vector_for_each (&pair.plan->functions, row) {
		parts += plan_is_cold_part(row);
		assert_true(is_planned(pair.plan, row) || row->reason == PLAN_NO_SPACE);
	}
	assert_true(parts > 100);
	close_pair(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extends_to_the_whole),
		cmocka_unit_test(ends_at_limits),
		cmocka_unit_test(ends_without_room_for_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
