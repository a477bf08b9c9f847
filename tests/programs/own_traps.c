// build: gcc -O2
// build(O0): gcc -O0
// output: 600 traps, 0 odd
// expect: function=in_middle calls=100
/* Instructions that trap, in functions of all shapes: what the handler is told, where it
 * finds the thread, and where that goes on. */
#include "lib/test.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#define FUNCTION(name, code)                                                             \
	long name(long x);                                                               \
	extern char name##_at[];                                                         \
	__asm__(".text\n.balign 16\n.globl " #name "\n.type " #name ",@function\n" #name \
		":\n.cfi_startproc\n" code "\n.cfi_endproc\n.size " #name ",.-" #name)

/* A breakpoint leaves the thread behind itself, a fault in front. */
FUNCTION(with_int3, "\tint3\nwith_int3_at:\n\tlea 1(%rdi), %rax\n\tret");
FUNCTION(in_middle, "\tlea 1(%rdi), %rax\n\tint3\nin_middle_at:\n\tnop\n\tret");
FUNCTION(long_form, "\tlea 1(%rdi), %rax\n\tint $3\nlong_form_at:\n\tret");
FUNCTION(illegal, "\tlea 1(%rdi), %rax\nillegal_at:\n\tud2\n\tret");
FUNCTION(halt, "\tlea 1(%rdi), %rax\nhalt_at:\n\thlt\n\tret");
FUNCTION(in_loop, "\tmov $2, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tint3\nin_loop_at:\n"
		  "\tlea 1(%rdi), %rax\n\tret");

static char *volatile expected;
static volatile int number, code, skipped, traps, odd;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	traps++;
	odd += signal != number || info->si_code != code ||
	       registers[REG_RIP] != (greg_t)(uintptr_t)expected;
	odd += signal == SIGILL && info->si_addr != expected;
	registers[REG_RIP] += skipped;
}

static long run(long (*function)(long), char *at, int signal, int why, int skip)
{
	long sum = 0;

	expected = at;
	number = signal;
	code = why;
	skipped = skip;
	for (long i = 0; i < 100; i++)
		sum += function(i) != i + 1;
	return sum;
}

int main(void)
{
	static const int signals[] = {SIGTRAP, SIGILL, SIGSEGV};
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	long wrong = 0;

	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &action, NULL);
	wrong += run(with_int3, with_int3_at, SIGTRAP, SI_KERNEL, 0);
	wrong += run(in_middle, in_middle_at, SIGTRAP, SI_KERNEL, 0);
	wrong += run(long_form, long_form_at, SIGTRAP, SI_KERNEL, 0);
	wrong += run(illegal, illegal_at, SIGILL, ILL_ILLOPN, 2);
	wrong += run(halt, halt_at, SIGSEGV, SI_KERNEL, 1);
	wrong += run(in_loop, in_loop_at, SIGTRAP, SI_KERNEL, 0);
	printf("%d traps, %ld odd\n", traps, odd + wrong);
	return 0;
}
