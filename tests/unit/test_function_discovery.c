/*
 * Functions that no table knows: which are believed, and which are not. The code around
 * them is a few bytes by hand, in one section; known functions have call-frame
 * information.
 */
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "plan_image.h"

#include "code/scan/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { TEXT = 0x1000, ROOM = 256 };

/* `call`, `jmp` to 0x1000 + `to`, from offset `at`. */
#define AT(at, to)                                                                       \
	(uint8_t)((to) - (at)-5), (uint8_t)(((to) - (at)-5) >> 8),                       \
		(uint8_t)(((to) - (at)-5) >> 16), (uint8_t)(((to) - (at)-5) >> 24)
#define CALL(at, to) 0xe8, AT(at, to)
#define JUMP(at, to) 0xe9, AT(at, to)
#define NOP8         0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
#define INC          0xff, 0xc0
#define RET          0xc3

struct sample {
	uint8_t text[ROOM];
	struct image image;
};

static void open_sample(struct sample *sample, const uint8_t *bytes, size_t size)
{
	memset(sample->text, 0x90, ROOM);
	memcpy(sample->text, bytes, size);
	plan_image_init(&sample->image, TEXT, sample->text, ROOM);
	vector_push(&sample->image.code, ((struct image_range){TEXT, TEXT + ROOM}));
}

static void close_sample(struct sample *sample)
{
	plan_image_deinit(&sample->image);
}

/* A function of `size` bytes at the start, which the tables know. */
static void add_caller(struct sample *sample, size_t size)
{
	plan_image_add(&sample->image, TEXT, size, "caller");
}

/* Looks for functions, and whether those are found that begin at the given offsets with
 * the given sizes: pairs. */
static void check(struct sample *sample, const size_t (*wanted)[2], size_t count)
{
	struct scan scan;
	size_t found = 0;

	scan_init(&scan, &sample->image, true);
	vector_for_each (&sample->image.functions, function) {
		if (!(function->flags & IMAGE_FUNCTION_FOUND))
			continue;
		assert_true(found < count);
		assert_int_equal(function->address - TEXT, wanted[found][0]);
		assert_int_equal(function->size, wanted[found][1]);
		assert_int_equal(code_map_function_at(&scan.map, function->address),
				 function - sample->image.functions.items);
		found++;
	}
	assert_int_equal(found, count);
	scan_deinit(&scan);
	close_sample(sample);
}

#define CHECK_FOUND(sample, ...)                                                         \
	do {                                                                             \
		static const size_t wanted_[][2] = {__VA_ARGS__};                        \
		check(sample, wanted_, sizeof(wanted_) / sizeof(wanted_[0]));            \
	} while (0)

static void check_nothing(struct sample *sample)
{
	check(sample, NULL, 0);
}

#define OPEN(sample, ...)                                                                \
	do {                                                                             \
		static const uint8_t bytes_[] = {__VA_ARGS__};                           \
		open_sample(sample, bytes_, sizeof(bytes_));                             \
	} while (0)

/* A call of a call, which a known function in between parts. */
static void test_called(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), RET, NOP8, 0x66, 0x90, /* caller */
	     INC, CALL(18, 48), RET, NOP8,                /* 16 */
	     RET, NOP8, [48] = INC, RET);                 /* 32: known; 48 */
	add_caller(&sample, 6);
	plan_image_add(&sample.image, TEXT + 32, 1, "between");
	CHECK_FOUND(&sample, {16, 8}, {48, 3});
}

/* Whoever calls must be known by more than a symbol, and the file have sections. */
static void test_caller_is_doubtful(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, RET);
	add_caller(&sample, 6);
	sample.image.functions.items[0].flags = IMAGE_FUNCTION_SYMBOL;
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, RET);
	add_caller(&sample, 6);
	sample.image.code.count = 0;
	check_nothing(&sample);
}

/* A jump that leaves its function is a call; one to the padding behind is not. */
static void test_jumped(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, INC, JUMP(2, 16), [16] = INC, RET);
	add_caller(&sample, 7);
	CHECK_FOUND(&sample, {16, 3});
	OPEN(&sample, INC, JUMP(2, 7), NOP8, [16] = INC, RET);
	add_caller(&sample, 7);
	check_nothing(&sample);
}

/* Code that is not understood: no instruction, another's middle, zeros, no end. */
static void test_not_code(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, 0x06, RET);
	add_caller(&sample, 6);
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), CALL(5, 18), RET, [16] = 0xb8, 0x90, 0xc3, 0x90, 0x90,
	     RET);
	add_caller(&sample, 11);
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, 0x00, 0x00, RET);
	add_caller(&sample, 6);
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), RET, [16] = INC);
	add_caller(&sample, 6);
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, JUMP(18, 0x20000));
	add_caller(&sample, 6);
	check_nothing(&sample);
}

/* Where a call leads into what cannot be code, all around it is left alone, too, and what
 * was believed because of it. */
static void test_gap_is_left(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), CALL(5, 24), RET, [16] = INC, CALL(18, 48),
	     RET, [24] = 0x06, [32] = RET, [48] = INC, RET);
	add_caller(&sample, 11);
	plan_image_add(&sample.image, TEXT + 32, 1, "between");
	check_nothing(&sample);
}

/* Into a known function it may run; and data behind it does not matter. */
static void test_surroundings(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, INC, RET);
	add_caller(&sample, 6);
	plan_image_add(&sample.image, TEXT + 20, 1, "known");
	CHECK_FOUND(&sample, {16, 4});
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, RET, 0x06, 0xff, 0xff);
	add_caller(&sample, 6);
	CHECK_FOUND(&sample, {16, 3});
}

/* jmp *word: a stub; ranges that hold those, and what must not be touched. */
static void test_not_functions(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), RET, [16] = 0xff, 0x25, 0, 0, 0, 0);
	add_caller(&sample, 6);
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, RET);
	add_caller(&sample, 6);
	vector_push(&sample.image.plt, ((struct image_range){TEXT + 16, TEXT + 32}));
	check_nothing(&sample);
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, RET);
	add_caller(&sample, 6);
	vector_push(&sample.image.untouchable,
		    ((struct image_range){TEXT + 16, TEXT + 20}));
	check_nothing(&sample);
}

/* A loop to the entry, and a jump over another function to where nothing else leads. */
static void test_jumps_inside(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), CALL(5, 32), RET, /* caller */
	     [16] = INC, 0x75, 0xfc, JUMP(20, 48),   /* jne 16; jmp 48 */
	     [32] = INC, RET, [48] = INC, INC, RET);
	add_caller(&sample, 11);
	CHECK_FOUND(&sample, {16, 9}, {32, 3}, {48, 5});
	/* The same place is in a loop of the function before it: no entry. */
	OPEN(&sample, CALL(0, 16), CALL(5, 32), RET, [16] = INC, JUMP(18, 36), [32] = INC,
	     INC, INC, INC, 0x75, 0xfa, RET);
	add_caller(&sample, 11);
	CHECK_FOUND(&sample, {16, 7}, {32, 11});
}

/* A pointer is believed where all that it points into is understood. */
static void test_pointed(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, RET, NOP8, [16] = INC, RET);
	add_caller(&sample, 1);
	vector_push(&sample.image.targets, TEXT + 16);
	CHECK_FOUND(&sample, {16, 3});
	OPEN(&sample, RET, NOP8, [16] = INC, RET, [32] = INC, RET);
	add_caller(&sample, 1);
	vector_push(&sample.image.targets, TEXT + 16);
	check_nothing(&sample);
	OPEN(&sample, RET, NOP8, [20] = INC, RET);
	add_caller(&sample, 1);
	vector_push(&sample.image.targets, TEXT + 20);
	check_nothing(&sample);
	/* Calls into the same code are believed all the same. */
	OPEN(&sample, CALL(0, 32), RET, [16] = 0x06, [32] = INC, RET);
	add_caller(&sample, 6);
	vector_push(&sample.image.targets, TEXT + 16);
	CHECK_FOUND(&sample, {32, 3});
}

/* What is known without a size gets that, and what follows it is found. */
static void test_guessed(void **state)
{
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), RET, [16] = INC, RET);
	add_caller(&sample, ROOM);
	sample.image.functions.items[0].flags =
		IMAGE_FUNCTION_REFERENCED | IMAGE_FUNCTION_SIZE_GUESS;
	CHECK_FOUND(&sample, {16, 3});
	OPEN(&sample, INC, RET);
	add_caller(&sample, ROOM);
	sample.image.functions.items[0].flags =
		IMAGE_FUNCTION_REFERENCED | IMAGE_FUNCTION_SIZE_GUESS;

	struct scan scan;

	scan_init(&scan, &sample.image, false);
	assert_int_equal(sample.image.functions.items[0].size, 3);
	scan_deinit(&scan);
	close_sample(&sample);
}

/* What was found is counted as any other function is, with flags kept where they may be
 * alive, and is there only once. */
static void test_planned(void **state)
{
	struct plan_request request = {.code_address = 0x100000};
	struct sample sample;

	(void)state;
	OPEN(&sample, CALL(0, 16), CALL(5, 32), RET, [16] = 0x8d, 0x47, 1, 0x8d, 0x47, 2,
	     RET, [32] = 0x83, 0xc0, 1, 0x83, 0xc0, 2, RET);
	add_caller(&sample, 11);
	request.image = &sample.image;
	for (int i = 0; i < 2; i++) {
		struct plan *plan;

		assert_null(plan_create(&request, &plan));
		assert_int_equal(plan->functions.count, 3);
		for (int k = 0; k < 3; k++)
			assert_int_equal(plan->functions.items[k].reason,
					 PLAN_INSTRUMENTED);
		/* lea keeps the flags of whoever calls, add does not. */
		assert_int_equal(plan->code.items[plan->functions.items[1].trampoline],
				 0x48);
		assert_int_equal(plan->code.items[plan->functions.items[2].trampoline],
				 0x65);
		plan_destroy(plan);
	}
	close_sample(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_called),
		cmocka_unit_test(test_caller_is_doubtful),
		cmocka_unit_test(test_jumped),
		cmocka_unit_test(test_not_code),
		cmocka_unit_test(test_gap_is_left),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_not_functions),
		cmocka_unit_test(test_jumps_inside),
		cmocka_unit_test(test_pointed),
		cmocka_unit_test(test_guessed),
		cmocka_unit_test(test_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
