// build: gcc -O2
// build(O0): gcc -O0
// build(clang): clang -O2
// build(fortified): gcc -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-all
// output: jumps 3000, nested 1000, mask kept 100
// expect: function=dive calls=33000
// expect: function=nested_outer calls=1000
// expect: function=nested_inner calls=1000
/* setjmp and longjmp over several frames, nested, and with the signal mask. */
#include "lib/test.h"

#include <setjmp.h>
#include <signal.h>

static jmp_buf outer_buffer, inner_buffer;
static sigjmp_buf mask_buffer;

KEPT static int dive(int depth, int value)
{
	if (depth > 0) {
		int result = dive(depth - 1, value);

		__asm__ volatile("" : "+r"(result)); /* no loop instead of the call */
		return result + 1;
	}
	if (value)
		longjmp(outer_buffer, value);
	return 0;
}

KEPT static void nested_inner(int n)
{
	if (setjmp(inner_buffer) == 0)
		longjmp(inner_buffer, 1);
	longjmp(outer_buffer, n + 1);
}

KEPT static void nested_outer(int n)
{
	nested_inner(n);
	CHECK(!"nested_inner does not return");
}

static int mask_kept(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	if (sigsetjmp(mask_buffer, 1) == 0) {
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		siglongjmp(mask_buffer, 1);
	}
	sigprocmask(SIG_BLOCK, NULL, &set);
	return !sigismember(&set, SIGUSR1);
}

int main(void)
{
	volatile int jumps = 0, nested = 0, kept = 0;

	for (volatile int i = 0; i < 3000; i++) {
		int value = setjmp(outer_buffer);

		if (value == 0)
			dive(10, i + 1);
		jumps += value == i + 1;
	}
	for (volatile int i = 0; i < 1000; i++) {
		int value = setjmp(outer_buffer);

		if (value == 0)
			nested_outer(i);
		nested += value == i + 1;
	}
	for (int i = 0; i < 100; i++)
		kept += mask_kept();
	printf("jumps %d, nested %d, mask kept %d\n", jumps, nested, kept);
	return 0;
}
