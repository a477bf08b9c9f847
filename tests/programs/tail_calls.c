// build: gcc -O2
// build(clang): clang -O2
// build(thunk): gcc -O2 -mindirect-branch=thunk
// output: even 500, odd 500, state 300000
// expect: function=is_even calls=125500
// expect: function=is_odd calls=125000
// expect: function=state_a calls=100000
// expect: function=state_b calls=100000
// expect: function=state_c calls=100000
/* Tail calls, direct and through a pointer: each is a call of its target. */
#include "lib/test.h"

KEPT int is_odd(int n);
KEPT int is_even(int n);

KEPT int is_even(int n)
{
	return n == 0 ? 1 : is_odd(n - 1);
}

KEPT int is_odd(int n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

typedef long (*state)(long n, long left);

KEPT long state_a(long n, long left);
KEPT long state_b(long n, long left);
KEPT long state_c(long n, long left);

static state states[] = {state_a, state_b, state_c};

static long final_value(long n)
{
	return n;
}

#define STATE(name, next)                                                                \
	KEPT long name(long n, long left)                                                \
	{                                                                                \
		ROOM();                                                                  \
		return left == 1 ? final_value(n + 1) : states[next](n + 1, left - 1);   \
	}

STATE(state_a, 1)
STATE(state_b, 2)
STATE(state_c, 0)

int main(void)
{
	int even = 0, odd = 0;
	long steps = 0;

	for (int i = 0; i < 1000; i++) {
		int result = is_even(i % 500);

		even += result;
		odd += !result;
	}
	for (int i = 0; i < 100; i++)
		steps += states[0](0, 3000);
	printf("even %d, odd %d, state %ld\n", even, odd, steps);
	return 0;
}
