// build: gcc -O2 -Wl,--no-warn-rwx-segments
// build(static): gcc -O2 -static -Wl,--no-warn-rwx-segments
// output: 5050
// expect-module: module=writable_code reason="may be written to while it runs"
/*
 * Code that may be written to while it runs, in a segment that is writable, too: it is
 * not counted, and the report says so.
 */
#include "lib/test.h"

__asm__(".section .both, \"awx\", @progbits\n"
	".globl both\n"
	".type both, @function\n"
	"both:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size both, . - both\n"
	".text\n");

long both(long value);

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += both(i);
	printf("%ld\n", sum);
	return 0;
}
