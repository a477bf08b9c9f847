// build: gcc -O2
// build(O0): gcc -O0
// build(clang): clang -O2
// output: result 500500000000
// expect: function=interpret calls=1000
/* A small interpreter with computed gotos. */
#include "lib/test.h"

enum { PUSH, ADD, DECREMENT, LOOP, END };

KEPT static long interpret(const int *code, long n)
{
	ROOM();
	static void *const labels[] = {&&push, &&add, &&decrement, &&loop, &&end};
	const int *next = code;
	long sum = 0, top = 0;

#define NEXT goto *labels[*next++]
	NEXT;
push:
	top = n;
	NEXT;
add:
	sum += top;
	NEXT;
decrement:
	n--;
	NEXT;
loop:
	if (n > 0)
		next = code;
	NEXT;
end:
	return sum;
}

int main(void)
{
	static const int code[] = {PUSH, ADD, DECREMENT, LOOP, END};
	long result = 0;

	for (int i = 0; i < 1000; i++)
		result += interpret(code, 1000) * 1000;
	printf("result %ld\n", result);
	return 0;
}
