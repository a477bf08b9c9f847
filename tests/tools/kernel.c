/* Functions whose references, branches and calls a trace of valgrind's lackey tells, too.
 * It is static, at fixed addresses, has its own stack and no libraries: addresses are the
 * same in each run. Built with -O1 -nostdlib -static -no-pie -fno-pie
 * -fno-stack-protector -fcf-protection=none. */
#include <stdint.h>

enum { MANY = 3000 };

static uint32_t numbers[MANY], order[MANY];
static uint64_t matrix[64][64], spread[4096];
static char bytes[8192] __attribute__((aligned(4096)));
char stack[65536] __attribute__((aligned(4096)));
volatile uint64_t sink;

#define KERNEL __attribute__((noinline, noclone, used))

KERNEL void kernel_fill(uint32_t seed)
{
	for (int i = 0; i < MANY; i++) {
		seed = seed * 1664525 + 1013904223;
		numbers[i] = seed >> 8;
		order[i] = (uint32_t)((uint64_t)seed * MANY >> 32);
	}
}

KERNEL uint64_t kernel_branch(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < MANY; i++) {
		if (numbers[i] & 1)
			sum += numbers[i];
		if (i % 7 == 3)
			sum ^= 0x55;
		if (numbers[i] % 16 == 5)
			sink = sum;
	}
	return sum;
}

KERNEL uint64_t kernel_gather(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < MANY; i++)
		sum += numbers[order[i]];
	return sum;
}

KERNEL void kernel_columns(void)
{
	for (int column = 0; column < 64; column++)
		for (int row = 0; row < 64; row++)
			matrix[row][column] += (uint64_t)row;
}

KERNEL uint64_t kernel_stride(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 4096; i += 24)
		sum += spread[i];
	return sum;
}

KERNEL void kernel_unaligned(void)
{
	for (int i = 0; i < 8000; i += 7)
		*(volatile uint32_t *)(bytes + i) = (uint32_t)i;
}

KERNEL uint64_t kernel_leaf(uint64_t x)
{
	return x * 3 + 1;
}

KERNEL uint64_t kernel_recurse(uint64_t depth)
{
	return depth ? kernel_leaf(kernel_recurse(depth - 1)) : 1;
}

KERNEL uint64_t kernel_calls(void)
{
	uint64_t (*volatile callee)(uint64_t) = kernel_leaf;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 500; i++) {
		sum += kernel_leaf(i);
		if (i % 5 == 0)
			sum += callee(i);
	}
	return sum + kernel_recurse(40);
}

KERNEL void kernel_repeat(void)
{
	void *to = bytes + 4096, *from = bytes;
	uint64_t words = 200, more = 333;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(more) : "a"(7) : "memory");
}

__attribute__((used)) void run(void)
{
	for (uint32_t round = 0; round < 3; round++) {
		kernel_fill(round);
		sink = kernel_branch() + kernel_gather() + kernel_stride();
		kernel_columns();
		kernel_unaligned();
		kernel_repeat();
		sink = kernel_calls();
	}
	__asm__ volatile("syscall" : : "a"(231), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	"_start: lea stack+65536(%rip), %rsp\n"
	"xor %ebp, %ebp\n"
	"call run\n");
