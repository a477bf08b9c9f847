/* What routines of tools may change: tool/routine.h. The routines are below. */
#include "image/open.h"
#include "tool/routine.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

__asm__(".text\n"
	".type routine_count, @function\n"
	".globl routine_count\n"
	"routine_count:\n"
	"	mov	%rdi, %rax\n"
	"	addq	$1, (%rax)\n"
	"	ret\n"
	".size routine_count, . - routine_count\n"
	".type routine_saves, @function\n"
	".globl routine_saves\n"
	"routine_saves:\n"
	"	push	%rbx\n"
	"	xor	%ebx, %ebx\n"
	"1:	inc	%rbx\n"
	"	cmp	%rdi, %rbx\n"
	"	jne	1b\n"
	"	pop	%rbx\n"
	"	ret\n"
	".size routine_saves, . - routine_saves\n"
	".type routine_calls, @function\n"
	".globl routine_calls\n"
	"routine_calls:\n"
	"	test	%esi, %esi\n"
	"	je	1f\n"
	"	call	routine_count_inner\n"
	"1:	jmp	routine_saves\n"
	".size routine_calls, . - routine_calls\n"
	"routine_count_inner:\n"
	"	mov	$1, %r9d\n"
	"	ret\n"
	".type routine_floats, @function\n"
	".globl routine_floats\n"
	"routine_floats:\n"
	"	addsd	%xmm0, %xmm1\n"
	"	ret\n"
	".size routine_floats, . - routine_floats\n"
	".type routine_local, @function\n"
	".globl routine_local\n"
	"routine_local:\n"
	"	mov	%fs:0, %rdx\n"
	"	ret\n"
	".size routine_local, . - routine_local\n"
	".type routine_anywhere, @function\n"
	".globl routine_anywhere\n"
	"routine_anywhere:\n"
	"	call	*%rdi\n"
	"	ret\n"
	".size routine_anywhere, . - routine_anywhere\n"
	".type routine_kernel, @function\n"
	".globl routine_kernel\n"
	"routine_kernel:\n"
	"	syscall\n"
	"	ret\n"
	".size routine_kernel, . - routine_kernel\n");

enum { RAX = 1, RDX = 1 << 2, RBX = 1 << 3, R9 = 1 << 9, ALL = 0xffef };

static void test_routines(void **state)
{
	static const struct {
		const char *name;
		uint16_t changes;
		bool vectors, thread_pointer;
	} rows[] = {
		{"routine_count", RAX, false, false},
		{"routine_saves", RBX, false, false},
		{"routine_calls", RBX | R9, false, false},
		{"routine_floats", 0, true, false},
		{"routine_local", RDX, false, true},
		{"routine_anywhere", ALL, true, true},
		{"routine_kernel", ALL, true, true},
		{"no_such_routine", ALL, true, true},
	};
	struct image *image;

	(void)state;
	assert_null(image_open("/proc/self/exe", "self", &image));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct recipe_routine found = routine_inspect(image, rows[i].name);

		assert_int_equal(found.changes, rows[i].changes);
		assert_int_equal(found.vectors, rows[i].vectors);
		assert_int_equal(found.thread_pointer, rows[i].thread_pointer);
	}
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_routines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
