// build: gcc -O2 -Wl,--section-start=.a=0x9000,--section-start=.b=0xa000 lib/unlisted.S
// strip: yes
// output: right 8000 of 8000
// expect: function=sub_9000 calls=1000
// expect: function=sub_9020 calls=1000
// expect: function=sub_9040 calls=1000
// expect: function=sub_9060 calls=1000
// expect: function=sub_9080 calls=1000
// expect: function=sub_90a0 calls=1000
// expect: function=sub_90c0 calls=1000
// expect: function=sub_90e0 calls=1000
// expect: function=sub_9100 calls=1000
// expect: function=sub_9120 calls=1000
// expect-absent: sub_a000
// expect: function=sub_a020 calls=1000
/*
 * Functions that neither symbols nor call-frame information know: called, jumped to,
 * named by a pointer, and by nothing that can be seen, which is right and not counted.
 */
#include "lib/test.h"

#include <stdint.h>

int called(int n), jumped(int n), pointed(int n), leaves(int n), asks(int n),
	beside_data(int n);
extern char computed[] __attribute__((visibility("hidden")));

static int (*volatile const pointers[])(int) = {pointed};
static volatile uintptr_t away = 0x1000;

KEPT int jumps(int n)
{
	return jumped(n + 1);
}

KEPT int loop_from_zero(int n)
{
	int result = 0;

	__asm__ volatile("call loops" : "+a"(result), "+D"(n) : : "memory", "cc");
	return result;
}

/* As no scan can follow it. */
static int call_computed(int n)
{
	uintptr_t address = (uintptr_t)(computed - 0x1000) + away;
	int (*function)(int) = (int (*)(int))address;

	return function(n);
}

int main(void)
{
	int right = 0;

	for (int i = 0; i < 1000; i++) {
		right += called(i) == i + 3;
		right += jumps(i) == i + 6;
		right += pointers[0](i) == i + 7;
		right += leaves(i) == i + 9;
		right += asks(i) == i + 1;
		right += call_computed(i) == i + 11;
		right += beside_data(i) == i + 6;
		right += loop_from_zero(i % 5 + 1) == i % 5 + 1;
	}
	printf("right %d of 8000\n", right);
	return 0;
}
