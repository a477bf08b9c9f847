/*
 * A handler that was called behind the first instruction of a function, and that waits on
 * its stack while another one, on a stack of its own, waits for a line. Then all go on.
 */
#include "test.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#define ROUNDS 3

static int number = 41;
static char other_stack[1 << 16];

/* Its second instruction faults, at a byte that a jump at its entry covers. */
int load_next(const int *from);
__asm__(".text\n"
	".globl load_next\n"
	".type load_next, @function\n"
	".balign 16\n"
	"load_next:\n"
	"	push %rbx\n"
	"	mov (%rdi), %eax\n"
	"	lea 1(%rax), %eax\n"
	"	pop %rbx\n"
	"	ret\n"
	"	nopw 64(%rax)\n"
	".size load_next, . - load_next\n");

static void on_other_stack(int signal)
{
	char line[64];

	(void)signal;
	puts("waiting");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)signal;
	(void)info;
	raise(SIGUSR1);
	interrupted->uc_mcontext.gregs[REG_RDI] = (greg_t)(intptr_t)&number;
}

int main(void)
{
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	struct sigaction other = {.sa_handler = on_other_stack, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGUSR1, &other, NULL);
	puts("ready");
	for (int i = 0; i < ROUNDS; i++)
		CHECK(load_next(NULL) == 42);
	for (int i = 0; i < 10; i++)
		CHECK(load_next(&number) == 42);
	puts("fine");
	return 0;
}
