// build: gcc -O2
// build(fixed): gcc -O2 -fno-pie -no-pie
// output: 0 of 1000 wrong
/* A function whose part elsewhere reads the function's return address. */
#include "lib/test.h"

long asks(long number);
KEPT long caller(long number);

__asm__(".text\n"
	".p2align 4\n"
	".globl asks\n"
	".type asks, @function\n"
	"asks:\n"
	"	.cfi_startproc\n"
	"	test $1, %dil\n"
	"	jne asks.cold\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size asks, . - asks\n"
	"	.section .text.unlikely, \"ax\", @progbits\n"
	"	.type asks.cold, @function\n"
	"asks.cold:\n"
	"	.cfi_startproc\n"
	"	mov (%rsp), %rax\n"
	"	lea (%rax), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size asks.cold, . - asks.cold\n"
	"	.text\n");

KEPT long caller(long number)
{
	return asks(number) + 1;
}

int main(void)
{
	int wrong = 0;

	for (long i = 1; i < 2000; i += 2)
		wrong += (unsigned long)caller(i) - (unsigned long)caller >= 4096;
	printf("%d of 1000 wrong\n", wrong);
	return 0;
}
