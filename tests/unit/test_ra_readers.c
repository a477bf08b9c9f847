/*
 * Functions that look at return addresses, and those that only seem to.
 */
#include "code/scan/ra_readers.h"
#include "image/find.h"
#include "image/open.h"
#include "plan_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ADDRESS = 0x1000 };

/* Each function begins with `mark`, which is not part of it. */
#define FUNCTION(code) "	.byte 0x0f, 0x0b, 0x0f, 0x0b\n" code
extern const uint8_t readers_begin[], readers_end[];
__asm__(".pushsection .rodata\n"
	"readers_begin:\n"
	/* What __builtin_return_address(0) becomes, in functions of several shapes. */
	FUNCTION("mov (%rsp), %rax; ret\n") FUNCTION("sub $24, %rsp; mov 24(%rsp), %rdi; "
						     "add $24, %rsp; ret\n")
		FUNCTION("push %rbx; push %r12; sub $0x108, %rsp; xor %eax, %eax\n"
			 "lea 8(%rsp), %rsi; mov 0x118(%rsp), %rdx; add $0x108, %rsp\n"
			 "pop %r12; pop %rbx; ret\n") FUNCTION("push %rbp; mov %rsp, "
							       "%rbp; sub $32, %rsp; mov "
							       "8(%rbp), %rax; "
							       "leave; "
							       "ret\n")
			FUNCTION("push %rbx; test %edi, %edi; je 1f; pop %rbx; ret\n"
				 "1: mov 8(%rsp), %rbx; mov %rbx, %rax; pop %rbx; ret\n")
				FUNCTION("push %rax; cmp %rsi, 8(%rsp); pop %rcx; ret\n")
					FUNCTION("lea (%rsp), %rax; ret\n")
	/* vfork's way, and getcontext's. */
	FUNCTION("pop %rdi; mov $58, %eax; syscall; push %rdi; ret\n")
		FUNCTION("mov (%rsp), %rcx; mov %rcx, 0xa8(%rdi); ret\n") FUNCTION(
			"push %rbx; test %edi, %edi; jne 1f; pop %rbx; jmp readers_end\n"
			"2: mov 8(%rsp), %rax; pop %rbx; ret\n"
			"1: jmp *%rdi\n")
	/* Frames are followed. */
	FUNCTION("push %rbp; mov %rsp, %rbp; mov (%rbp), %rax; mov 8(%rax), %rax; "
		 "pop %rbp; ret\n") FUNCTION("push %rbp; mov %rsp, %rbp; mov %rbp, %rdi; "
					     "call readers_end; pop %rbp; "
					     "ret\n")
	/* None of it: arguments on the stack, locals, va_start, stores, rbp as a plain
	 * register, rbp that points to locals. */
	FUNCTION("mov 8(%rsp), %rax; ret\n") FUNCTION(
		"sub $24, %rsp; mov 16(%rsp), %rax; mov 32(%rsp), %rcx; add $24, %rsp; "
		"ret\n") FUNCTION("sub $0xd8, %rsp; lea 0xe0(%rsp), %rax; mov %rax, "
				  "8(%rsp); add $0xd8, "
				  "%rsp; ret\n") FUNCTION("mov %rax, (%rsp); ret\n")
		FUNCTION(
			"push %rbp; mov %rdi, %rbp; mov 8(%rbp), %rax; mov (%rbp), %rcx; "
			"mov %rbp, %rsi; pop %rbp; ret\n")
			FUNCTION("push %rbp; sub $32, %rsp; lea 16(%rsp), %rbp; mov "
				 "(%rbp), %rax; "
				 "mov %rbp, %rdi; add $32, %rsp; pop %rbp; ret\n")
				FUNCTION("push %rbp; mov %rsp, %rbp; and $-32, %rsp; sub "
					 "$64, %rsp; "
					 "mov -8(%rbp), %rax; mov 16(%rbp), %rcx; leave; "
					 "ret\n")
					FUNCTION("push %rbx; sub $16, %rsp; test %edi, "
						 "%edi; je 1f\n"
						 "add $16, %rsp; pop %rbx; ret\n"
						 "1: mov 8(%rsp), %rax; mov %fs:24, "
						 "%rcx; add $16, %rsp; pop %rbx; ret\n")
	/* Behind calls in place of returns: in the body. */
	FUNCTION("push %rbx; test %edi, %edi; jne 1f; pop %rbx; jmp readers_end\n"
		 "2: mov (%rsp), %rax; pop %rbx; ret\n"
		 "1: jmp *%rdi\n") FUNCTION("mov (%rsp, %rdi, 8), %rax; mov "
					    "(%r12), %rcx; mov 8(%r13), "
					    "%rdx; ret\n") "	.byte "
							   "0x0f, 0x0b, "
							   "0x0f, 0x0b\n"
							   "readers_end:\n"
							   "	."
							   "popsection\n");

static const uint8_t expected[] = {
	RA_READER_OWN,   RA_READER_OWN,   RA_READER_OWN,  RA_READER_OWN,  RA_READER_OWN,
	RA_READER_OWN,   RA_READER_OWN,   RA_READER_OWN,  RA_READER_OWN,  RA_READER_OWN,
	RA_READER_STACK, RA_READER_STACK, RA_READER_NONE, RA_READER_NONE, RA_READER_NONE,
	RA_READER_NONE,  RA_READER_NONE,  RA_READER_NONE, RA_READER_NONE, RA_READER_NONE,
	RA_READER_NONE,  RA_READER_NONE,
};

static void add_functions(struct image *image)
{
	static const uint8_t mark[] = {0x0f, 0x0b, 0x0f, 0x0b};
	size_t size = (size_t)(readers_end - readers_begin), start = 0;

	for (size_t at = sizeof(mark); at + sizeof(mark) <= size; at++) {
		if (memcmp(readers_begin + at, mark, sizeof(mark)) != 0)
			continue;
		plan_image_add(image, ADDRESS + start + sizeof(mark),
			       at - start - sizeof(mark), "f");
		start = at;
	}
}

static void test_shapes(void **state)
{
	struct image image;
	struct ra_readers_suspects suspects = {0};
	uint8_t *readers;

	(void)state;
	plan_image_init(&image, ADDRESS, readers_begin,
			(size_t)(readers_end - readers_begin));
	add_functions(&image);
	assert_int_equal(image.functions.count, sizeof(expected));
	readers = ra_readers_find(&image, &suspects);
	for (size_t i = 0; i < sizeof(expected); i++)
		if (readers[i] != expected[i])
			fail_msg("function %zu: %d, not %d", i, readers[i], expected[i]);
	assert_false(ra_readers_have_unwinder(&image, readers));
	free(readers);
	vector_deinit(&suspects);
	plan_image_deinit(&image);
}

/* By name, whatever the code looks like. */
static void test_names(void **state)
{
	static const uint8_t code[] = {0xc3, 0xc3, 0xc3};
	struct image image;
	struct ra_readers_suspects suspects = {0};
	uint8_t *readers;

	(void)state;
	plan_image_init(&image, ADDRESS, code, sizeof(code));
	plan_image_add(&image, ADDRESS, 1, "_Unwind_Backtrace");
	plan_image_add(&image, ADDRESS + 1, 1, "_Unwind_Resume");
	plan_image_add(&image, ADDRESS + 2, 1, "_Unwind_Resumes");
	readers = ra_readers_find(&image, &suspects);
	assert_int_equal(readers[0], RA_READER_UNWINDER);
	assert_int_equal(readers[1], RA_READER_OWN);
	assert_int_equal(readers[2], RA_READER_NONE);
	assert_true(ra_readers_have_unwinder(&image, readers));
	free(readers);
	vector_deinit(&suspects);
	plan_image_deinit(&image);
}

/* The C library's, by their names. */
static void test_c_library(void **state)
{
	static const char *const names[] = {"dlsym",      "dlopen",      "__sigsetjmp",
					    "getcontext", "swapcontext", "vfork"};
	struct image *image;
	uint64_t address;
	struct ra_readers_suspects suspects = {0};
	uint8_t *readers;

	(void)state;
	if (image_open("/lib/x86_64-linux-gnu/libc.so.6", NULL, &image))
		skip();
	readers = ra_readers_find(image, &suspects);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(image_find_function(image, names[i], &address));
		if (readers[image_function_at(image, address)] != RA_READER_OWN)
			fail_msg("%s", names[i]);
	}
	assert_true(image_find_function(image, "malloc", &address));
	assert_int_equal(readers[image_function_at(image, address)], RA_READER_NONE);
	free(readers);
	vector_deinit(&suspects);
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
