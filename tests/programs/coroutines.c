// build: gcc -O2 -Wl,-z,now
// build(O0): gcc -O0 -Wl,-z,now
// output: sum 1225000
// output: tiny sum 49995000
// expect: function=produce calls=100
// expect: function=step calls=50000
// expect: function=tiny_body calls=1
// expect: function=tiny_step calls=10000
// not-points: its smallest stack has no 300 bytes for calls of routines
/*
 * Coroutines: a hundred with swapcontext, each on a stack of 2 KiB, and one on a stack of
 * 256 bytes with a switch of its own. Nothing may be put on such a stack that the program
 * did not.
 */
#include "lib/test.h"

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum { COUNT = 100, ROUNDS = 500, STACK = 2048, TINY = 256, TINY_ROUNDS = 10000 };

static ucontext_t main_context, contexts[COUNT];
static char stacks[COUNT][STACK] __attribute__((aligned(16)));
static long value;

KEPT static long step(long n)
{
	return n / 10;
}

KEPT static void produce(int number)
{
	for (int i = 0; i < ROUNDS; i++) {
		value = step(i);
		swapcontext(&contexts[number], &main_context);
	}
}

/* void switch_stacks(void **save, void *load): saves the callee-saved registers. */
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

static void *main_stack, *tiny_stack;
static struct {
	char guard[64];
	char stack[TINY] __attribute__((aligned(16)));
} tiny;

KEPT static long tiny_step(long n)
{
	return n + 1;
}

KEPT static void tiny_body(void)
{
	long n = 0;

	for (;;) {
		value = n;
		n = tiny_step(n);
		switch_stacks(&tiny_stack, main_stack);
	}
}

static void run_tiny(void)
{
	uint64_t *top = (uint64_t *)(tiny.stack + TINY);
	long sum = 0;

	memset(tiny.guard, 0x5a, sizeof(tiny.guard));
	*--top = 0;
	*--top = (uint64_t)(uintptr_t)tiny_body;
	top -= 6;
	tiny_stack = top;
	for (int i = 0; i < TINY_ROUNDS; i++) {
		switch_stacks(&main_stack, tiny_stack);
		sum += value;
	}
	for (size_t i = 0; i < sizeof(tiny.guard); i++)
		CHECK(tiny.guard[i] == 0x5a);
	printf("tiny sum %ld\n", sum);
}

int main(void)
{
	volatile long sum = 0;

	for (int i = 0; i < COUNT; i++) {
		CHECK(getcontext(&contexts[i]) == 0);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))produce, 1, i);
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < COUNT; i++) {
			CHECK(swapcontext(&main_context, &contexts[i]) == 0);
			sum += value;
		}
	}
	printf("sum %ld\n", sum);
	run_tiny();
	return 0;
}
