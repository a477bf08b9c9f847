// build: gcc -O2 lib/faults.S
// output: skipped 1500 of 1500, illegal 500, divided 500
// expect: function=fault_1 calls=500
// expect: function=fault_2 calls=500
// expect: function=fault_3 calls=500
// expect: function=illegal_1 calls=500
// expect: function=divide calls=500
/*
 * A handler that edits the program counter: it skips the instruction that faulted, which
 * is the first, second or third of its function, or sends the program somewhere else.
 */
#include "lib/test.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

int fault_1(const int *word), fault_2(const int *word), fault_3(const int *word);
int illegal_1(void), divide(int a, int b);

static void skip_instruction(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	registers[REG_RIP] += 2; /* all of them have two bytes */
	registers[REG_RAX] = 35;
}

KEPT static int divided_by_zero(void)
{
	return -1;
}

static void go_elsewhere(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	if (info->si_addr == (char *)divide + 3)
		registers[REG_RIP] = (greg_t)(uintptr_t)divided_by_zero;
}

static void set(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	CHECK(sigaction(number, &action, NULL) == 0);
}

int main(void)
{
	const int *nowhere = (const int *)64;
	int skipped = 0, illegal = 0, divided = 0;

	set(SIGSEGV, skip_instruction);
	set(SIGILL, skip_instruction);
	set(SIGFPE, go_elsewhere);
	for (int i = 0; i < 500; i++) {
		skipped += fault_1(nowhere) == 42;
		skipped += fault_2(nowhere) == 42;
		skipped += fault_3(nowhere) == 42;
		illegal += illegal_1() == 9;
		divided += divide(i, 0) == -1;
	}
	printf("skipped %d of 1500, illegal %d, divided %d\n", skipped, illegal, divided);
	return 0;
}
