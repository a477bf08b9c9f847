// build: gcc -O2
// build(clang): clang -O2
// output: sum 9000000, 60 times out, 60 times left, nested
// expect: function=leaf calls=3000000
// expect: function=spin calls=60
// expect: function=out calls=60
// expect: function=turn calls=60
// expect: function=left calls=60
// expect-left: function=spin times=60
// expect-left: function=turn times=60
// expect-left: function=leaf times=0
// expect-left: function=work times=0
/*
 * Handlers that make system calls, and then return to where they were called, on either
 * stack and one in the other, go on elsewhere, or are left by a jump. A thread's system
 * calls are watched until it is known how its handler returns, and from then on no more.
 */
#include "lib/test.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { TURNS = 3000000, TIMES = 60, CALLS = 20 };

static volatile sig_atomic_t nested, turning;
static sigjmp_buf back;
static const struct itimerval never, soon = {{0, 0}, {0, 1000}};

static void make_calls(void)
{
	for (int i = 0; i < CALLS; i++)
		getppid();
}

static void inner(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	make_calls();
	nested++;
}

static void outer(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	make_calls();
	raise(nested % 2 ? SIGUSR1 : SIGUSR2);
	make_calls();
}

KEPT __attribute__((aligned(1024))) long leaf(long n);
KEPT __attribute__((aligned(1024))) long leaf(long n)
{
	ROOM();
	if (n % 2) {
		__asm__ volatile("incq %0" : "+r"(n));
		return n;
	}
	__asm__ volatile("addq $3, %0" : "+r"(n));
	return n;
}

KEPT long work(long turns);
KEPT long work(long turns)
{
	long sum = 0;

	ROOM();
	while (turns--)
		sum += leaf(turns) - turns + 1;
	return sum;
}

extern char spin_begin[], spin_end[], spin_out[];

KEPT void out(void);
KEPT void out(void)
{
	ROOM();
	setitimer(ITIMER_REAL, &never, NULL);
}

/* Nothing but a handler ends it, and that in the middle of another block. */
KEPT void spin(void);
__asm__(".text; .p2align 6; .type spin, @function\n"
	"spin: push %rbx; xor %ebx, %ebx\n"
	"spin_begin: inc %rbx; test $3, %bl; jz 2f; xor $1, %edx; 2: dec %rcx\n"
	"	cmp $-1, %rbx; jne spin_begin\n"
	"spin_end: xor %ebx, %ebx\n"
	"spin_out: call out; pop %rbx; ret; .size spin, .-spin");

static void go_out(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const char *at = (const char *)registers[REG_RIP];

	(void)number;
	(void)info;
	make_calls();
	if (at >= spin_begin && at < spin_end)
		registers[REG_RIP] = (greg_t)spin_out;
}

static void leave(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	make_calls();
	/* On a busy machine the timer may be over before the function is called. */
	if (turning)
		siglongjmp(back, 1);
	setitimer(ITIMER_REAL, &soon, NULL);
}

KEPT void left(void);
KEPT void left(void)
{
	ROOM();
}

KEPT void turn(volatile long *count);
KEPT void turn(volatile long *count)
{
	ROOM();
	turning = 1;
	for (;;)
		*count += *count % 3 ? 1 : 2;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | flags;
	sigaction(number, &action, NULL);
}

int main(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	static char stack[1 << 16];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	volatile long count = 0;
	volatile int i, jumps = 0;
	long sum;

	sigaltstack(&other, NULL);
	handle(SIGALRM, outer, 0);
	handle(SIGUSR1, inner, SA_ONSTACK);
	handle(SIGUSR2, inner, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	sum = work(TURNS);
	setitimer(ITIMER_REAL, &never, NULL);
	handle(SIGALRM, go_out, SA_ONSTACK);
	for (i = 0; i < TIMES; i++) {
		setitimer(ITIMER_REAL, &often, NULL);
		spin();
	}
	handle(SIGALRM, leave, 0);
	for (i = 0; i < TIMES; i++) {
		if (sigsetjmp(back, 1)) {
			jumps++;
			turning = 0;
			left();
			continue;
		}
		setitimer(ITIMER_REAL, &soon, NULL);
		turn(&count);
	}
	printf("sum %ld, %d times out, %d times left, %s\n", sum, i, jumps,
	       nested ? "nested" : "not nested");
	return 0;
}
