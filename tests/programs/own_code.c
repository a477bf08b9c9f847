// build: gcc -O2
// output: patched 100, read 1
// expect: function=caller calls=100
// expect-process: program=own_code state=released reason=write.to.the.code.of..own_code
/*
 * A program that patches its own function: it must run what it wrote, also at the entry.
 * It is measured until then.
 */
#include "lib/test.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

int patched(void);
__asm__(".pushsection .text\n"
	".p2align 12\n"
	".globl patched\n"
	".type patched, @function\n"
	"patched:\n"
	"	movl $1, %eax\n"
	"	ret\n"
	".size patched, . - patched\n"
	".p2align 12\n"
	".popsection\n");

KEPT static int caller(void)
{
	return patched();
}

int main(void)
{
	char *entry = (char *)patched;
	int good = 0;

	for (int i = 0; i < 100; i++)
		good += caller() == 1;
	CHECK(good == 100);
	CHECK(mprotect(entry, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	for (int32_t i = 0; i < 100; i++) {
		/* The whole instruction: a mov with another constant. */
		entry[0] = (char)0xb8;
		memcpy(entry + 1, &i, sizeof(i));
		good += caller() == i;
	}
	printf("patched %d, read %d\n", good - 100, entry[0] == (char)0xb8);
	return 0;
}
