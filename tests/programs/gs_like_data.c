// build: gcc -O2
// build(O0): gcc -O0 -no-pie
// expect: function=step calls=1000
/*
 * A table lies in a function, in front of code, as GHC puts it: decoded from the table
 * on, that code looks as if it wrote the GS selector.
 */
#include "lib/test.h"

unsigned step(unsigned number);

__asm__("	.text\n"
	"	.globl step\n"
	"	.type step, @function\n"
	"step:	push %rbp\n"
	"	push $0\n"
	"	mov %rsp, %rbp\n"
	"	test $1, %edi\n"
	"	jne 1f\n"
	"	lea 2f(%rip), %rax\n"
	"	jmp *%rax\n"
	"	.byte 0x83, 0, 0, 0, 0, 0, 0, 0\n"
	/* 48 c7 45 00 08 8e 2f 06; behind a zero: 00 48 c7, 45 00 08, 8e 2f */
	"1:	movq $0x62f8e08, 0(%rbp)\n"
	"2:	pop %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.size step, . - step\n");

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 1000; i++)
		sum += step(i);
	printf("%u\n", sum);
	return 0;
}
