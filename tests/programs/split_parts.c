// build: gcc -O2
// build(stripped): gcc -O2 -s
// output: sum 1500
/*
 * A function in parts, as BOLT and compilers make them: what a part is entered with, the
 * flags and r11 among it, is the business of the function alone. The parts have symbols
 * and frames like functions; one is led to by a conditional branch and leads on to
 * another.
 */
#include "lib/test.h"

long split(long number);

__asm__(".text\n"
	".p2align 4\n"
	".globl split\n"
	".type split, @function\n"
	"split:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_offset %rbx, -16\n"
	"	mov %rdi, %r11\n"
	"	mov $1, %ebx\n"
	"	test $1, %dil\n"
	"	jne split.warm\n"
	"	lea (%r11,%rbx), %rax\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size split, . - split\n"
	"	.p2align 4\n"
	"	.type split.warm, @function\n"
	"split.warm:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbx, -16\n"
	"	lea 1(%rbx), %rbx\n"
	"	mov $7, %edx\n"
	"	jne split.other.0\n" /* the flags of split's own test */
	"	ud2\n"
	"	.cfi_endproc\n"
	"	.size split.warm, . - split.warm\n"
	"	.p2align 4\n"
	"	.type split.other.0, @function\n"
	"split.other.0:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbx, -16\n"
	"	lea (%r11,%rbx), %rax\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size split.other.0, . - split.other.0\n");

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += split(i & 1) - (i & 1);
	printf("sum %ld\n", sum);
	return 0;
}
