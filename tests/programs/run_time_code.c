// build: gcc -O2
// output: sum 499500, rewritten 200
// expect: function=call_it calls=1200
/*
 * Code that the program makes while it runs, and makes anew: right, though not measured.
 */
#include "lib/test.h"

#include <string.h>
#include <sys/mman.h>

static unsigned char *page;

KEPT static int call_it(int n)
{
	return ((int (*)(int))page)(n);
}

static void make(int addend)
{
	/* lea addend(%rdi), %eax; ret */
	unsigned char code[] = {0x8d, 0x87, 0, 0, 0, 0, 0xc3};

	memcpy(code + 2, &addend, sizeof(addend));
	CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
	memcpy(page, code, sizeof(code));
	CHECK(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
}

int main(void)
{
	int sum = 0, rewritten = 0;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	CHECK(page != MAP_FAILED);
	make(0);
	for (int i = 0; i < 1000; i++)
		sum += call_it(i);
	for (int i = 0; i < 200; i++) {
		make(i);
		rewritten += call_it(1000) == 1000 + i;
	}
	printf("sum %d, rewritten %d\n", sum, rewritten);
	return 0;
}
