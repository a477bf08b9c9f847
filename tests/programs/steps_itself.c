// build(popf): gcc -O2 -DWAY=1
// build(helper): gcc -O2 -DWAY=2
// build(handler): gcc -O2 -DWAY=3
// build(entry): gcc -O2 -DWAY=4
// build(int3): gcc -O2 -DWAY=5
// build(O0): gcc -O0 -DWAY=2
// output: 400 steps, in order
// expect-process: program=steps_itself count=1 reason=trap
/* A program that steps through its own code, as debuggers inside of programs do: the trap
 * flag raises a signal behind each instruction, and what the handler sees is checked by
 * itself: each place is that of an instruction, and behind the one before or where that
 * leads. How often it comes to each is compared with the bare run. */
#include "lib/test.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STEPS = 400, TRAP_FLAG = 0x100 };

extern char __executable_start[], etext[];
static volatile long steps, own, sum;
static uint64_t places = 14695981039346656037u;
static volatile sig_atomic_t begin;

KEPT static long twice(long x)
{
	return x * 2 + 1;
}

KEPT static long thrice(long x)
{
	return twice(x) + (x & 3 ? x : twice(x + 1));
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t place = (uintptr_t)registers[REG_RIP];

	(void)number;
	if (info->si_code != TRAP_TRACE) {
		registers[REG_EFL] |= TRAP_FLAG;
		return;
	}
	if (place >= (uintptr_t)__executable_start && place < (uintptr_t)etext) {
		own++;
		places = (places ^ (place - (uintptr_t)__executable_start)) *
			 1099511628211u;
	}
	if (++steps == STEPS)
		registers[REG_EFL] &= ~TRAP_FLAG;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (begin)
		registers[REG_RIP] = (greg_t)(uintptr_t)thrice;
	registers[REG_EFL] |= TRAP_FLAG;
}

static inline __attribute__((always_inline)) void set_flag(void)
{
	__asm__ volatile("pushf\n\torq $0x100, (%%rsp)\n\tpopf" : : : "memory", "cc");
}

void helper(void);
KEPT void helper(void)
{
	set_flag();
}

KEPT static void start(void)
{
#if WAY == 1
	set_flag();
#elif WAY == 2
	helper();
#elif WAY == 3
	raise(SIGUSR1);
#elif WAY == 4
	/* The handler leads to the entry of a function. */
	long result;

	begin = 1;
	__asm__ volatile("mov $7, %%edi\n\tlea 1f(%%rip), %%rax\n\tpush %%rax\n\tud2\n1:"
			 : "=a"(result)
			 :
			 : "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "memory",
			   "cc");
	sum += result;
#else
	__asm__ volatile("int3" : : : "memory");
#endif
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &action, NULL);
	action.sa_sigaction = on_signal;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	for (long i = 0; i < 1000; i++)
		sum += thrice(i);
	start();
	for (long i = 0; i < 1000; i++)
		sum += thrice(i);
	printf("%ld steps, in order\n", steps);
	printf("%ld of its own, %lx, sum %ld\n", own, (unsigned long)places, sum);
	return 0;
}
