// build: gcc -O2 -pthread
// build(clang): clang -O2 -pthread
// build(O0): gcc -O0 -pthread
// output: sum 6171 60
// expect: function=leaf calls=3948
// expect-context: path=generate/produce/leaf calls=2388
// expect-context: path=generate/produce calls=1200
// expect-context: path=resume/leaf calls=1200
// expect-context: path=drive/resume calls=1200
// expect-context: path=main/drive calls=1
// expect-context: path=in_thread/drive calls=2
// expect-context: path=deep/deep/deep/ping/leaf calls=100
// expect-context: path=pong/leaf calls=100
// expect-context: path=on_signal/escape/leaf calls=20
// expect-context: path=main/interrupted/leaf calls=40
// expect-context: path=main/ends/leaf calls=100
/* Stacks are switched: each call has the context of its own stack. */
#include "lib/test.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

enum { COUNT = 4, ROUNDS = 100, STACK = 64 << 10 };

static _Thread_local ucontext_t outside, inside[COUNT];
static _Thread_local int current, made;
static int total, escaped;

KEPT int leaf(int n);
KEPT int leaf(int n)
{
	ROOM();
	return n & 7;
}

/* A generator that gives on from a call of its own. */
KEPT int produce(int n);
KEPT int produce(int n)
{
	int value = leaf(n);

	made = value;
	swapcontext(&inside[current], &outside);
	return value + leaf(n);
}

KEPT void generate(void);
KEPT void generate(void)
{
	for (int i = 0;; i++)
		made += produce(i);
}

KEPT int resume(int which);
KEPT int resume(int which)
{
	current = which;
	swapcontext(&outside, &inside[which]);
	return made + leaf(1);
}

KEPT int drive(void);
KEPT int drive(void)
{
	int sum = 0;

	for (int i = 0; i < COUNT; i++) {
		getcontext(&inside[i]);
		inside[i].uc_stack.ss_sp = malloc(STACK);
		inside[i].uc_stack.ss_size = STACK;
		inside[i].uc_link = NULL;
		makecontext(&inside[i], generate, 0);
	}
	for (int i = 0; i < ROUNDS; i++)
		for (int j = 0; j < COUNT; j++)
			sum += resume(j);
	return sum;
}

static void *in_thread(void *argument)
{
	(void)argument;
	__atomic_fetch_add(&total, drive(), __ATOMIC_RELAXED);
	return NULL;
}

/* void switch_stacks(void **save, void *load): a switch of the program's own. */
void switch_stacks(void **save, void *load);
__asm__(".pushsection .text\n"
	".globl switch_stacks\n"
	".type switch_stacks, @function\n"
	"switch_stacks:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size switch_stacks, . - switch_stacks\n"
	".popsection\n");

static void *stacks[2];

KEPT int ping(void);
KEPT int ping(void)
{
	int all = 0;

	for (int i = 0; i < ROUNDS; i++) {
		switch_stacks(&stacks[0], stacks[1]);
		all += leaf(i);
	}
	return all;
}

KEPT void pong(void);
KEPT void pong(void)
{
	ROOM();
	for (;;) {
		total += leaf(1);
		switch_stacks(&stacks[1], stacks[0]);
	}
}

KEPT int deep(int depth);
KEPT int deep(int depth)
{
	int all = depth ? deep(depth - 1) : ping();

	total += depth;
	return all;
}

static void start_pong(void)
{
	char *stack = malloc(STACK);
	void **top = (void **)(stack + STACK) - 2;

	*--top = pong;
	stacks[1] = top - 6;
}

static sigjmp_buf back;

KEPT void escape(void);
KEPT void escape(void)
{
	escaped += leaf(3);
	siglongjmp(back, 1);
}

static void on_signal(int number)
{
	(void)number;
	escape();
	escaped = -1; /* so that the call is not at the end */
}

KEPT void interrupted(void);
KEPT void interrupted(void)
{
	const stack_t own = {.ss_sp = malloc(STACK), .ss_size = STACK};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 20; i++) {
		total += leaf(2);
		if (!sigsetjmp(back, 1))
			raise(SIGUSR1);
		total += leaf(2);
	}
}

KEPT void ends(void);
KEPT void ends(void)
{
	for (int i = 0; i < ROUNDS; i++)
		total += leaf(i);
	printf("sum %d %d\n", total, escaped);
}

int main(void)
{
	pthread_t threads[2];

	total = drive();
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, in_thread, NULL));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	start_pong();
	total += deep(2);
	interrupted();
	ends();
	return 0;
}
