// build: gcc -O2
// output: overflows 20
// expect: function=overflow calls=20000 at-least
/* The end of the stack, seen by a handler on an alternate stack, left with siglongjmp. */
#include "lib/test.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static sigjmp_buf buffer;
static char alternate_stack[64 * 1024];

static void handle(int number)
{
	(void)number;
	siglongjmp(buffer, 1);
}

KEPT static int overflow(int depth)
{
	volatile char frame[512];

	frame[0] = (char)depth;
	if (depth < 0)
		return frame[0];
	return overflow(depth + 1) + frame[0];
}

int main(void)
{
	stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	struct rlimit limit = {1024 * 1024, 1024 * 1024};
	volatile int overflows = 0;

	CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
	CHECK(sigaltstack(&stack, NULL) == 0);
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	for (volatile int i = 0; i < 20; i++) {
		if (sigsetjmp(buffer, 1) == 0)
			overflow(1);
		else
			overflows++;
	}
	printf("overflows %d\n", overflows);
	return 0;
}
