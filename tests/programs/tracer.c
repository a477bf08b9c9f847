// build: gcc -O2
// output: steps 30 of 30, exited 12, seized 1, stopped by SIGSTOP
// expect: function=trace_me calls=10
// expect-process: program=tracer state="exited 0" count=1
/* A program that traces children: with PTRACE_TRACEME, by single steps, and with
 * PTRACE_SEIZE. */
#include "lib/test.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char steps_start[], steps_end[];
int steps(int n);
__asm__(".pushsection .text\n"
	".globl steps\n"
	".type steps, @function\n"
	"steps:\n"
	"	nopl 8(%rax)\n"
	"	movl $10, %eax\n"
	".globl steps_start\n"
	"steps_start:\n"
	"	addl $1, %edi\n"
	"	decl %eax\n"
	"	jnz steps_start\n"
	".globl steps_end\n"
	"steps_end:\n"
	"	leal 2(%rdi), %eax\n"
	"	ret\n"
	".size steps, . - steps\n"
	".popsection\n");

static unsigned long long place(pid_t child)
{
	struct user_regs_struct registers;

	CHECK(ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0);
	return registers.rip;
}

/* Steps until the address, at most `limit` times; returns the number of steps. */
static int step_to(pid_t child, const char *address, int limit)
{
	int count = 0, status;

	while (place(child) != (unsigned long long)address && count < limit) {
		CHECK(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
		CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
		count++;
	}
	return count;
}

/* Returns the exit status of a child that was stepped through `steps`. */
KEPT static int trace_me(int *counted)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(steps(0));
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	step_to(child, steps_start, 1000000);
	*counted = step_to(child, steps_end, 1000);
	CHECK(ptrace(PTRACE_CONT, child, NULL, NULL) == 0);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int seize(void)
{
	int status, seized;
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			pause();
	}
	seized = ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0 &&
		 ptrace(PTRACE_INTERRUPT, child, NULL, NULL) == 0 &&
		 waitpid(child, &status, 0) == child && WIFSTOPPED(status);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return seized;
}

int main(void)
{
	int counted = 0, status = 0;

	for (int i = 0; i < 10; i++)
		status = trace_me(&counted);
	printf("steps %d of 30, exited %d, seized %d, stopped by SIGSTOP\n", counted,
	       status, seize());
	return 0;
}
