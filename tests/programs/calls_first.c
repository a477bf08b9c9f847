// build: gcc -O1
// output: 135450
// expect: function=leaf calls=900
// expect: function=first0 calls=3
// expect: function=first150 calls=3
// expect: function=first299 calls=3
/* Many functions that begin with a call, far apart: the copies of all hold an address
 * that is different in each process. */
#include "lib/test.h"

enum { COUNT = 300, ROUNDS = 3 };

extern int (*const table[COUNT])(void);

__asm__(".text\n"
	".type leaf, @function\n"
	"leaf:\n"
	"	mov $1, %eax\n"
	"	ret\n"
	".size leaf, . - leaf\n"
	".altmacro\n"
	".macro first n\n"
	"	.text\n"
	"	.balign 512\n"
	"	.type first\\n, @function\n"
	"first\\n:\n"
	"	call leaf\n"
	"	add $\\n, %eax\n"
	"	ret\n"
	"	.size first\\n, . - first\\n\n"
	"	.section .data.rel.ro, \"aw\"\n"
	"	.quad first\\n\n"
	".endm\n"
	".section .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	".globl table\n"
	"table:\n"
	".set i, 0\n"
	".rept 300\n"
	"	first %i\n"
	"	.set i, i + 1\n"
	".endr\n"
	".noaltmacro\n"
	".text\n");

int main(void)
{
	long sum = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i++)
			sum += table[i]();
	printf("%ld\n", sum);
	return 0;
}
