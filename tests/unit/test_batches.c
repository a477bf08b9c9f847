/*
 * A plan that several threads write in batches is the one that is written at once, but
 * for where its code lies: of libraries that this machine has.
 */
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "image/open.h"
#include "plan_image.h"

#include "base/search.h"
#include "code/plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

enum { CODE = 0x100000, FAR = INT32_MAX - 0x18000 + 1, AT_ONCE = INT32_MAX, WORD = 4 };

static struct plan *make(const char *path, const struct plan_request *like,
			 uint32_t batch)
{
	struct plan_request request = *like;
	struct image *image;
	struct plan *plan;

	assert_null(image_open(path, NULL, &image));
	request.image = image;
	request.code_address = image->end + CODE;
	request.batch = batch;
	assert_null(plan_create(&request, &plan));
	image_close(image);
	return plan;
}

static uint32_t word_at(const struct plan *plan, size_t offset)
{
	uint32_t word;

	memcpy(&word, plan->code.items + offset, sizeof(word));
	return word;
}

/* Where what lies in the code of one plan is in that of the other. */
static uint32_t moved(const struct plan *one, const struct plan *two, uint32_t offset)
{
	size_t i;

	if (offset < one->gates_size)
		return offset;
	if (one->gates_size && offset >= one->arc_code)
		return offset + two->arc_code - one->arc_code;
	i = search_first(one->functions.count, middle,
			 one->functions.items[middle].trampoline <= offset);
	return offset + (i ? two->functions.items[i - 1].trampoline -
					 one->functions.items[i - 1].trampoline
			   : 0);
}

/* Whether a word of the code at a distance from where two functions begin is a
 * displacement that leads to the same place, in the code or not, or an address in it. */
static bool is_moved(const struct plan *one, size_t at_one, const struct plan *two,
		     size_t at_two, size_t distance)
{
	uint32_t a = word_at(one, at_one + distance);
	uint32_t b = word_at(two, at_two + distance);
	uint32_t end = (uint32_t)(at_one + distance + WORD);
	uint32_t by = (uint32_t)(at_two - at_one);

	if (a + end < one->code.count)
		return b == moved(one, two, a + end) - (end + by);
	return a == b + by || a + by == b;
}

/* What differs is explained by where the code lies. */
static void check_code(const struct plan *one, size_t at_one, const struct plan *two,
		       size_t at_two, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t word = i < WORD - 1 ? 0 : i - (WORD - 1);

		if (one->code.items[at_one + i] == two->code.items[at_two + i]) {
			i++;
			continue;
		}
		while (word <= i && !is_moved(one, at_one, two, at_two, word))
			word++;
		assert_true(word <= i);
		i = word + WORD;
	}
}

/* The same rows, but for fields that say where code lies. */
static void check_functions(const struct plan *one, const struct plan *two)
{
	assert_int_equal(one->functions.count, two->functions.count);
	for (size_t i = 0; i < one->functions.count; i++) {
		struct plan_function a = one->functions.items[i];
		struct plan_function b = two->functions.items[i];

		assert_true(b.trampoline >= a.trampoline);
		a.trampoline = b.trampoline = 0;
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

static void check_edges(const struct plan *one, const struct plan *two)
{
	for (size_t f = 0; f < one->functions.count; f++) {
		const struct plan_function *row = &one->functions.items[f];
		uint32_t by = two->functions.items[f].trampoline - row->trampoline;

		for (uint32_t i = row->first_edge; i < row->first_edge + row->edge_count;
		     i++) {
			struct plan_edge a = one->edges.items[i], b = two->edges.items[i];

			assert_true(a.piece == b.piece || a.piece + by == b.piece);
			a.piece = b.piece;
			assert_memory_equal(&a, &b, sizeof(a));
		}
	}
}

/* Where the text leads: to the same distance from the function's code. */
static void check_patches(const struct plan *one, const struct plan *two)
{
	assert_int_equal(one->patches.count, two->patches.count);
	for (size_t i = 0; i < one->patches.count; i++) {
		const struct plan_patch *a = &one->patches.items[i];
		const struct plan_patch *b = &two->patches.items[i];
		uint32_t by = two->functions.items[a->function].trampoline -
			      one->functions.items[a->function].trampoline;

		assert_int_equal(a->address, b->address);
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->function, b->function);
		for (size_t at = 0; at < a->size;) {
			uint32_t x = 0, y = 0;

			if (a->bytes[at] == b->bytes[at]) {
				at++;
				continue;
			}
			at = a->size == WORD ? 0 : at - at % 5 + 1;
			memcpy(&x, a->bytes + at, sizeof(x));
			memcpy(&y, b->bytes + at, sizeof(y));
			assert_int_equal(x + by, y);
			at += WORD;
		}
	}
}

#define check_rows(one, two, rows)                                                       \
	do {                                                                             \
		assert_int_equal((one)->rows.count, (two)->rows.count);                  \
		if ((one)->rows.count)                                                   \
			assert_memory_equal((one)->rows.items, (two)->rows.items,        \
					    (one)->rows.count *                          \
						    sizeof(*(one)->rows.items));         \
	} while (0)

/* Of the code that belongs to a function. Clones of tables lie in front of it, and where
 * those of a batch's first function begin depends on what is there. */
static void check_all_code(const struct plan *one, const struct plan *two)
{
	for (size_t i = 1; i + 1 < one->functions.count; i++) {
		const struct plan_function *a = &one->functions.items[i];
		const struct plan_function *b = &two->functions.items[i];
		size_t size = a[1].trampoline - a->trampoline;

		if (b[1].trampoline - b->trampoline == size &&
		    b->trampoline - b[-1].trampoline == a->trampoline - a[-1].trampoline)
			check_code(one, a->trampoline, two, b->trampoline, size);
	}
}

static void compare(const char *path, const struct plan_request *request, uint32_t batch)
{
	struct plan *one, *two;

	if (access(path, R_OK))
		return;
	one = make(path, request, AT_ONCE);
	two = make(path, request, batch);
	assert_true(two->code.count > one->code.count);
	assert_int_equal(one->slot_count, two->slot_count);
	assert_int_equal(one->part_count, two->part_count);
	check_functions(one, two);
	check_rows(one, two, blocks);
	check_rows(one, two, terms);
	check_rows(one, two, crossings);
	check_rows(one, two, map_rows);
	assert_int_equal(one->edges.count, two->edges.count);
	check_edges(one, two);
	assert_int_equal(one->stubs.count, two->stubs.count);
	assert_int_equal(one->fixups.count, two->fixups.count);
	check_patches(one, two);
	check_all_code(one, two);
	plan_destroy(one);
	plan_destroy(two);
}

/* What plans can be of. */
enum kind {
	EDGES,
	FLAGS,
	EDGES_AND_CALLS,
	CALLS,
	CONTEXTS,
	EDGES_IN_CONTEXTS,
	LIVE,
	ENTRIES
};

static const struct plan_request requests[] = {
	[EDGES] = {.depth = PLAN_EDGES},
	[FLAGS] = {.depth = PLAN_BLOCKS, .probe = PLAN_PROBE_FLAG},
	[EDGES_AND_CALLS] = {.depth = PLAN_EDGES, .copy_calls = true, .calls = true},
	[CALLS] = {.depth = PLAN_CALLS, .copy_calls = true, .calls = true},
	[CONTEXTS] = {.depth = PLAN_CALLS, .copy_calls = true, .graph = true},
	[EDGES_IN_CONTEXTS] = {.depth = PLAN_EDGES, .graph = true, .calls = true},
	[LIVE] = {.depth = PLAN_EDGES, .live = true},
	[ENTRIES] = {.depth = PLAN_ENTRIES},
};

static void test_all_kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		compare("/usr/bin/lua5.4", &requests[i], i % 2 ? 300 : 40000);
}

/* It has functions that return flags, and is written twice. */
static void test_twice(void **state)
{
	(void)state;
	compare("/lib/x86_64-linux-gnu/libc.so.6", &requests[EDGES_IN_CONTEXTS], 100000);
}

/* At fixed addresses, and tables of labels lie on pages of their own. */
static void test_labels(void **state)
{
	(void)state;
	compare("/usr/bin/python3", &requests[FLAGS], 30000);
}

/* What would not reach from where a batch is moved to is made anew, at once: then it is
 * known function by function. */
static void test_reach(void **state)
{
	struct plan *plans[2];
	size_t far = 0;

	(void)state;
	if (access("/usr/bin/lua5.4", R_OK))
		return;
	for (size_t i = 0; i < 2; i++) {
		struct plan_request request = {.depth = PLAN_EDGES,
					       .code_address = FAR,
					       .batch = i ? 8000 : AT_ONCE};

		assert_null(image_open("/usr/bin/lua5.4", NULL, &request.image));
		assert_null(plan_create(&request, &plans[i]));
		image_close(request.image);
	}
	vector_for_each (&plans[0]->functions, row)
		far += row->reason == PLAN_OUT_OF_REACH;
	assert_true(far > 0 && far < plans[0]->functions.count);
	check_rows(plans[0], plans[1], functions);
	check_rows(plans[0], plans[1], code);
	check_rows(plans[0], plans[1], edges);
	plan_destroy(plans[0]);
	plan_destroy(plans[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_kinds),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_reach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
