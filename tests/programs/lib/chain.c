#include "chain.h"

#include <stdint.h>

volatile sig_atomic_t chain_signals, chain_working;

static char alternate_stack[256 * 1024];

static void set_timer(int microseconds)
{
	struct itimerval timer = {.it_interval.tv_usec = microseconds,
				  .it_value.tv_usec = microseconds};

	CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

void chain_start(void (*handler)(int))
{
	stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
	struct sigaction action = {.sa_handler = handler,
				   .sa_flags = SA_ONSTACK | SA_RESTART};

	CHECK(sigaltstack(&stack, NULL) == 0);
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	set_timer(1000);
}

void chain_stop(void)
{
	set_timer(0);
}

KEPT uint32_t chain_rotate(uint32_t n)
{
	return n << 7 | n >> 25;
}

KEPT uint32_t chain_add(uint32_t n)
{
	return n + 0x9e3779b9;
}

KEPT uint32_t chain_mix(uint32_t n)
{
	return chain_rotate(chain_add(n)) ^ chain_add(n);
}

KEPT uint32_t chain_deep(uint32_t n, int depth)
{
	uint32_t mixed = chain_mix(n);

	if (depth == 0)
		return mixed;
	return chain_deep(mixed, depth - 1) + chain_mix(mixed);
}

void chain_work(int count)
{
	volatile uint32_t n = 1;

	chain_working = 1;
	while (chain_signals < count)
		n = chain_deep(n, 12);
	chain_working = 0;
}
