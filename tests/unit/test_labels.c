/*
 * What tables of labels are recognised by: words as the loader leaves them, in the test's
 * own file, and what instructions do with the register of a table. Whole functions:
 * tests/programs/label_tables.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "image/constants.h"
#include "image/open.h"
#include "x86/decode.h"

#include <link.h>
#include <stdlib.h>

enum { WORDS = 8 };

static int place;
static const void *const constant[] = {&place, NULL, (void *)7, &place, (void *)&rand};
static const uint64_t plain[] = {3, 1, 4};
static const void *changing[] = {&place, &place};

/* The first object is the program. */
static int note_bias(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

static size_t read_at(const void *address, struct image_constant *words)
{
	struct image *image;
	uint64_t bias = 0;
	size_t count;

	dl_iterate_phdr(note_bias, &bias);
	assert_null(image_open("/proc/self/exe", NULL, &image));
	count = image_read_constants(image, (uintptr_t)address - bias, WORDS, words);
	image_close(image);
	for (size_t i = 0; i < count; i++)
		words[i].value += words[i].address ? bias : 0;
	return count;
}

static void test_constants(void **state)
{
	struct image_constant words[WORDS];

	(void)state;
	assert_int_equal(read_at(constant, words), 4);
	assert_int_equal(words[0].value, (uintptr_t)&place);
	assert_int_equal(words[1].value, 0);
	assert_int_equal(words[2].value, 7);
	assert_false(words[2].address);
	assert_int_equal(words[3].value, (uintptr_t)&place);
	assert_true(read_at(plain, words) >= 3);
	assert_int_equal(words[2].value, 4);
	assert_int_equal(read_at(changing, words), 0);
	assert_ptr_equal(changing[1], &place);
	assert_int_equal(read_at((const char *)constant + 1, words), 0);
	assert_int_equal(read_at(NULL, words) && !words[0].value, 0);
}

static void test_uses(void **state)
{
	enum { R14 = 14, RAX = 0, JUMPS = -1 };
	static const struct {
		uint8_t bytes[8];
		int number;
		enum decode_use use;
		int loaded;
	} rows[] = {
		/* mov (%r14,%rax,8), %rcx */
		{{0x49, 0x8b, 0x0c, 0xc6}, R14, DECODE_INDEXED, 1},
		{{0x49, 0x8b, 0x0c, 0xc6}, RAX, DECODE_USED, 0},
		/* the same with 4 bytes, with a scale of 4, with a displacement */
		{{0x41, 0x8b, 0x0c, 0xc6}, R14, DECODE_USED, 0},
		{{0x49, 0x8b, 0x0c, 0x86}, R14, DECODE_USED, 0},
		{{0x49, 0x8b, 0x4c, 0xc6, 8}, R14, DECODE_USED, 0},
		/* mov (%r14), %rcx; mov %rcx, (%r14,%rax,8); add (%r14,%rax,8), %rcx */
		{{0x49, 0x8b, 0x0e}, R14, DECODE_USED, 0},
		{{0x49, 0x89, 0x0c, 0xc6}, R14, DECODE_USED, 0},
		{{0x49, 0x03, 0x0c, 0xc6}, R14, DECODE_USED, 0},
		/* jmp *(%r14,%rax,8); jmp *%rax; push, pop */
		{{0x41, 0xff, 0x24, 0xc6}, R14, DECODE_INDEXED, JUMPS},
		{{0xff, 0xe0}, RAX, DECODE_USED, 0},
		{{0x41, 0x56}, R14, DECODE_USED, 0},
		{{0x41, 0x5e}, R14, DECODE_OVERWRITTEN, 0},
		/* xor %eax, %eax; xor %ecx, %eax; setae %al; add $1, %eax; cltd */
		{{0x31, 0xc0}, RAX, DECODE_OVERWRITTEN, 0},
		{{0x31, 0xc8}, RAX, DECODE_USED, 0},
		{{0x0f, 0x93, 0xc0}, RAX, DECODE_OVERWRITTEN, 0},
		{{0x83, 0xc0, 1}, RAX, DECODE_USED, 0},
		{{0x99}, RAX, DECODE_USED, 0},
		{{0x99}, R14, DECODE_UNUSED, 0},
		/* mov (%r14,%rax,8), %r14: it is not known which of both comes of it */
		{{0x4d, 0x8b, 0x34, 0xc6}, R14, DECODE_USED, 0},
		{{0x06}, R14, DECODE_USED, 0}, /* no instruction */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int loaded = 0;
		enum decode_use use = decode_use(rows[i].bytes, sizeof(rows[i].bytes),
						 rows[i].number, &loaded);

		if (use != rows[i].use)
			fail_msg("row %zu: %d, not %d", i, use, rows[i].use);
		if (use == DECODE_INDEXED)
			assert_int_equal(loaded, rows[i].loaded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_uses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
