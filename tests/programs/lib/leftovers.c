/*
 * Waits for a line with words on its stack that look as if a handler was to go back from
 * there: what sigaction(3) leaves behind, and whatever lies above that.
 */
#include "test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In struct ucontext, behind the address that a handler returns to. */
enum { RSP = 1 + 0xa0 / 8, RIP, FLAGS, SEGMENTS, WORDS = 64 };
enum { CODE_SEGMENT = 0x33 };

static void handler(int signal)
{
	(void)signal;
}

/* What the C library has handlers return to. */
static uint64_t find_restorer(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		uint64_t restorer, mask;
	} action;

	signal(SIGUSR1, handler);
	CHECK(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, sizeof(action.mask)) ==
	      0);
	return action.restorer;
}

/* `rip` lies behind the start of a function: bytes that a jump at its entry covers. */
KEPT void wait_with(uint64_t rsp, uint64_t segments)
{
	volatile uint64_t words[WORDS] = {find_restorer()};
	char line[64];

	words[RSP] = rsp;
	words[RIP] = (uint64_t)(uintptr_t)handler + 1;
	words[SEGMENTS] = segments;
	puts("waiting");
	fflush(stdout);
	CHECK(fgets(line, sizeof(line), stdin) && words[RSP] == rsp);
}

int main(void)
{
	puts("ready");
	wait_with((uint64_t)(uintptr_t) & (char){0}, 0); /* the kernel writes segments */
	wait_with(2, CODE_SEGMENT);                      /* no stack lies there */
	puts("fine");
	return 0;
}
