// build: gcc -O2
// library: libinterposer.so lib/interposer.c gcc -O2 -fno-optimize-sibling-calls
// library: libnext.so lib/next.c gcc -O2
// build(lazy): gcc -O2 -Wl,-z,lazy
// output: sum 1498500, numbers 63000
// expect: function=next_work calls=1000 module=libinterposer
// expect: function=next_work calls=1000 module=libnext
// expect: function=a64l calls=1000 module=libinterposer
// expect: function=a64l calls=1000 module=libc.so
/* dlsym(RTLD_NEXT) goes by the address that it returns to. */
#include "lib/test.h"

int next_work(int n);

int main(void)
{
	int sum = 0;
	long numbers = 0;

	for (int i = 0; i < 1000; i++) {
		sum += next_work(i) - 1000;
		numbers += a64l("z") - 1;
	}
	printf("sum %d, numbers %ld\n", sum, numbers);
	return 0;
}
