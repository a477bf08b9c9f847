/*
 * Branches of all kinds for counting by single steps, and for gcov: loops, a switch, a
 * computed goto, exceptions, setjmp and longjmp, a short-circuit, a loop that is left in
 * the middle, faults whose handler jumps away or goes on behind them. No line has more
 * than one branch where a condition is to be compared.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ucontext.h>

#define APART __attribute__((noinline, noclone))

static volatile long sink;
static jmp_buf back;

APART static void odd_ones(long number)
{
	if (number % 3 == 1)
		sink = sink + 1;
	else
		sink = sink + 2;
	if (number > 40)
		sink = sink + 3;
}

APART static long choose(long number)
{
	switch (number) {
	case 0:
		return sink + 7;
	case 1:
		return sink * 3;
	case 2:
		return sink ^ 5;
	case 3:
		sink = 4;
		return 9;
	case 4:
		return sink - 11;
	case 5:
		return sink | 64;
	case 7:
		return sink & 1023;
	default:
		return 1;
	}
}

APART static long run(const unsigned char *code)
{
	static const void *const labels[] = {&&add, &&twice, &&skip, &&end};
	long value = 1;

	goto *labels[*code];
add:
	value += 3;
	goto *labels[*++code];
twice:
	value *= 2;
	goto *labels[*++code];
skip:
	if (value & 1)
		code++;
	goto *labels[*++code];
end:
	return value;
}

APART static void fail(long number)
{
	if (number % 5 == 0)
		throw number;
	sink = sink + number;
}

APART static long attempts(long count)
{
	long caught = 0;

	for (long i = 0; i < count; i++) {
		try {
			fail(i);
		} catch (long number) {
			caught += number + 1;
		}
	}
	return caught;
}

APART static void jump(long number)
{
	if (number % 4 == 0)
		longjmp(back, 1);
	sink = sink - 1;
}

APART static long jumps(long count)
{
	volatile long jumped = 0, i = 0;

	while (i < count) {
		i = i + 1;
		if (setjmp(back))
			jumped = jumped + 1;
		else
			jump(i);
	}
	return jumped;
}

APART static long search(const long *numbers, long count, long wanted)
{
	long at = 0;

	while (at < count) {
		if (numbers[at] == wanted)
			break;
		at++;
	}
	return at;
}

static sigjmp_buf rescue;
static bool skips;

/* The instruction that faults is movl $1, (%rax). */
static void on_fault(int, siginfo_t *, void *context)
{
	if (!skips)
		siglongjmp(rescue, 1);
	static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP] += 6;
}

/* No block of it has a call. */
APART static long touch(long number, int *where)
{
	long result = number * 3;

	if (number & 1)
		result += sink;
	asm volatile("movl $1, (%0)" : : "a"(where) : "memory");
	if (result > 50)
		result -= sink;
	while (result > 20)
		result -= 9;
	return result;
}

APART static long faults(long count)
{
	static int there;
	volatile long rescued = 0, i = 0;

	while (i < count) {
		i = i + 1;
		if (sigsetjmp(rescue, 1))
			rescued = rescued + 1;
		else
			rescued = rescued + touch(i, i % 3 ? &there : nullptr);
	}
	return rescued;
}

int main()
{
	struct sigaction action = {};

	static const unsigned char code[] = {0, 1, 0, 2, 1, 1, 2, 0, 0, 2, 1, 3, 3};
	long numbers[64], sum = 0;

	for (long i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	for (long i = 0; i < 100; i++)
		odd_ones(i);
	for (long i = 0; i < 300; i++)
		sum += choose(i % 9);
	for (long i = 0; i < 25; i++)
		sum += run(code);
	for (long i = 0; i < 70; i++)
		sum += search(numbers, 64, i);
	sum += attempts(23);
	sum += jumps(41);
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGSEGV, &action, nullptr);
	sum += faults(40);
	skips = true;
	sum += faults(31);
	printf("%ld %ld\n", sum, long(sink));
	return 0;
}
