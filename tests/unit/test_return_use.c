/*
 * What functions do with their return addresses.
 */
#include "code/scan/return_use.h"
#include "image/open.h"
#include "plan_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ADDRESS = 0x1000 };

#define NONE   RETURN_USE_NONE
#define NEXT   RETURN_USE_NEXT
#define TOLD   RETURN_USE_TOLD
#define BEYOND RETURN_USE_BEYOND

/* Each function begins with `mark`, which is not part of it. */
#define MARK "	.byte 0x0f, 0x0b, 0x0f, 0x0b\n"

/* clang-format off */
#define FUNCTIONS(row)                                                                   \
	/* It is read, written to, gone behind, dropped. */                              \
	row(BEYOND, "mov (%rsp), %rcx; movzbl (%rcx), %eax; ret")                        \
	row(BEYOND, "pop %rax; mov (%rax), %rcx; add $8, %rax; jmp *%rax")               \
	row(BEYOND, "pop %rax; lea 3(%rax), %rax; push %rax; ret")                       \
	row(BEYOND, "addq $4, (%rsp); ret")                                              \
	row(BEYOND, "push %rbp; mov %rsp, %rbp; addq $9, 8(%rbp); pop %rbp; ret")        \
	row(BEYOND, "mov %rsp, %rdx; addq $2, (%rdx); ret")                              \
	row(BEYOND, "lea 8(%rsp), %r10; decq -8(%r10); ret")                             \
	row(BEYOND, "mov $16, %ecx; xchg %rcx, (%rsp); add %rcx, (%rsp); ret")           \
	row(BEYOND, "push %rbx; mov 8(%rsp), %rdi; call uses_end; mov %rax, 8(%rsp)\n"   \
		    "pop %rbx; ret")                                                     \
	row(BEYOND, "mov %rsp, %rdi; call uses_end; ret")                                \
	row(BEYOND, "pop %r13; mov (%r12), %rax; jmp *%rax")                             \
	row(BEYOND, "add $8, %rsp; ret")                                                 \
	row(BEYOND, "test %edi, %edi; je 1f; ret; 1: mov (%rsp), %rax\n"                 \
		    "2: inc %rax; cmpb $0, (%rax); jne 2b; mov %rax, (%rsp); ret")       \
	/* Kept in the frame meanwhile, as without optimization. */                      \
	row(BEYOND, "push %rbp; mov %rsp, %rbp; mov 8(%rbp), %rax; mov %rax, -8(%rbp)\n" \
		    "mov -8(%rbp), %rax; movzbl (%rax), %eax; pop %rbp; ret")            \
	/* One byte behind; by a jump to who does so. */                                 \
	row(NEXT, "incq (%rsp); ret")                                                    \
	row(BEYOND, "test %edi, %edi; je 1f; incq (%rsp); 1: ret")                       \
	row(NEXT, "mov (%rsp), %r10; inc %r10; mov %rdi, %rsp; call *%r10; ret")         \
	row(BEYOND, "mov (%rsp), %rdi; jmp uses_jumped")                                 \
	row(NONE, "uses_jumped: movzbl (%rdi), %eax; ret")                               \
	/* Its place is passed on, to who reads or changes what is there, or does not. */ \
	row(BEYOND, "push %rbp; mov %rsp, %rbp; lea 8(%rbp), %rdi; call uses_place\n"    \
		    "pop %rbp; ret")                                                     \
	row(NONE, "uses_place: push %rbx; mov %rdi, %rbx; call uses_end\n"               \
		  "addq $3, (%rbx); pop %rbx; ret")                                      \
	row(BEYOND, "mov %rsp, %rdi; call uses_kept; ret")                               \
	row(NONE, "uses_kept: push %rbp; mov %rsp, %rbp; mov %rdi, -8(%rbp)\n"           \
		  "mov -8(%rbp), %rax; mov (%rax), %rax; pop %rbp; ret")                 \
	row(BEYOND, "mov %rsp, %rdi; call uses_walked; ret")                             \
	row(NONE, "uses_walked: sub $16, %rdi; 1: add $8, %rdi; cmp (%rdi), %rsi\n"      \
		  "jne 1b; ret")                                                         \
	row(NONE, "mov %rsp, %rdi; call uses_compared; ret")                             \
	row(NONE, "uses_compared: push %rbx; mov %rdi, %rbx; cmp %rbx, (%rax)\n"         \
		  "jb 1f; mov %rbx, %rsi; call uses_stored; 1: pop %rbx; ret")           \
	row(NONE, "uses_stored: mov %rsi, (%rdx); mov 8(%rsi), %rax; ret")               \
	row(TOLD, "mov (%rsp), %rax; ret")                                               \
	/* None of it: read, compared, passed on, kept, and gone to. */                  \
	row(NONE, "mov (%rsp), %rax; cmp %rdi, %rax; sete %al; ret")                     \
	row(NONE, "mov (%rsp), %rax; mov %rax, (%rdi); xor %eax, %eax; ret")             \
	row(NONE, "mov (%rsp), %rdi; call uses_end; ret")                                \
	row(NONE, "pop %rdi; mov $58, %eax; syscall; push %rdi; ret")                    \
	row(NONE, "pop %rcx; mov %rsp, (%rdi); mov (%rsi), %rsp; jmp *%rcx")             \
	row(NONE, "pop %rdi; mov %rdi, (%rax); syscall; mov (%rax), %rdx\n"              \
		  "push %rdx; ret")                                                      \
	row(NONE, "mov %rsp, (%rdi); mov (%rsi), %rsp; ret")                             \
	/* Barriers, calls in place of returns, frames of arguments, thunks. */          \
	row(NONE, "lock orq $0, (%rsp); ret")                                            \
	row(NONE, "lea 8(%rsp), %rax; mov %rax, -8(%rsp); movaps %xmm0, -40(%rsp); ret") \
	row(NONE, "lea 8(%rsp), %r10; and $-32, %rsp; push -8(%r10); push %rbp\n"        \
		  "mov %rsp, %rbp; push %r10; mov -8(%rbp), %r10; mov (%rbp), %rbp\n"    \
		  "lea -8(%r10), %rsp; ret")                                             \
	row(NONE, "call 1f; 2: pause; jmp 2b; 1: mov %rax, (%rsp); ret")                 \
	row(NONE, "push %rbp; mov %rsp, %rbp; mov %rdx, 8(%rbp); lea (%rbp,%rcx), %rcx\n"\
		  "mov %rcx, %rsp; ret")                                                 \
	row(NONE, "mov (%rsp), %rax; shr $4, %rax; and $63, %eax\n"                      \
		  "mov table(,%rax,8), %rax; ret")
/* clang-format on */

#define CODE(use, code)     MARK code "\n"
#define EXPECTED(use, code) use,

extern const uint8_t uses_begin[], uses_end[];
__asm__(".pushsection .rodata\n"
	"uses_begin:\n"
	".set table, 0x1000\n" FUNCTIONS(CODE) MARK "uses_end:\n"
						    ".popsection\n");

static const enum return_use expected[] = {FUNCTIONS(EXPECTED)};

static void add_functions(struct image *image)
{
	static const uint8_t mark[] = {0x0f, 0x0b, 0x0f, 0x0b};
	size_t size = (size_t)(uses_end - uses_begin), start = 0;

	for (size_t at = sizeof(mark); at + sizeof(mark) <= size; at++) {
		if (memcmp(uses_begin + at, mark, sizeof(mark)) != 0)
			continue;
		plan_image_add(image, ADDRESS + start + sizeof(mark),
			       at - start - sizeof(mark), "f");
		start = at;
	}
}

static enum return_use use_of(const struct scan *scan, const struct image *image,
			      size_t index)
{
	const struct image_function *row = &image->functions.items[index];

	return return_use_find(scan, image, row->address, row->address,
			       row->address + row->size);
}

static void test_shapes(void **state)
{
	const size_t count = sizeof(expected) / sizeof(expected[0]);
	struct image image;
	struct scan scan;

	(void)state;
	plan_image_init(&image, ADDRESS, uses_begin, (size_t)(uses_end - uses_begin));
	add_functions(&image);
	scan_init(&scan, &image, true);
	assert_int_equal(count, image.functions.count);
	for (size_t i = 0; i < count; i++) {
		enum return_use use = use_of(&scan, &image, i);

		if (use != expected[i])
			fail_msg("function %zu: %d, not %d", i, use, expected[i]);
	}
	scan_deinit(&scan);
	plan_image_deinit(&image);
}

/* The C library has none. */
static void test_c_library(void **state)
{
	struct image *image;
	struct scan scan;

	(void)state;
	if (image_open("/lib/x86_64-linux-gnu/libc.so.6", NULL, &image))
		skip();
	scan_init(&scan, image, true);
	for (size_t i = 0; i < image->functions.count; i++)
		if (use_of(&scan, image, i) != NONE)
			fail_msg("%s",
				 image->names.items + image->functions.items[i].name);
	scan_deinit(&scan);
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
