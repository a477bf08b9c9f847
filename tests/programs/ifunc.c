// build: gcc -O2
// build(now): gcc -O2 -Wl,-z,now -fno-plt
// library: libdispatch.so lib/dispatch.c gcc -O2
// output: sum 4007000
// expect: function=pick_second calls=2000
// expect: function=lib_pick_second calls=3000 module=libdispatch
// expect: function=lib_twice calls=1000 module=libdispatch
// expect: function=lib_pick calls=2 module=libdispatch
// expect: function=pick calls=1
// expect: function=pick_first calls=0
/* Indirect functions: the chosen ones are called, and pointers to them compare right. */
#include "lib/test.h"

int lib_pick(int n), lib_twice(int n);

KEPT static int pick_first(int n)
{
	return n - 1;
}

KEPT static int pick_second(int n)
{
	return n;
}

static int (*resolve(void))(int)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") ? pick_second : pick_first;
}

int pick(int n) __attribute__((ifunc("resolve")));

int main(void)
{
	int (*volatile pointer)(int) = lib_pick;
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		sum += pick(i) + pick(i + 1);
		sum += lib_twice(i) - 4 + 5 * pointer(i);
	}
	CHECK(pointer == lib_pick);
	printf("sum %ld\n", sum);
	return 0;
}
