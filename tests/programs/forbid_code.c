// build: gcc -O2
// build(static): gcc -O2 -static
// output: faults 40, sum 840
// expect-process: program=forbid_code count=1 reason=forbids
/*
 * A program takes from its code the right to run and gives it back from the handler of
 * the fault that follows. Copies of that code must not run instead.
 */
#include "lib/test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static volatile int faults;

/* A page of its own, between others. */
__attribute__((noinline, noclone, section("apart"), aligned(PAGE))) static long
alone(long value)
{
	ROOM();
	return value + 1;
}

__attribute__((noinline, noclone, used, section("apart"), aligned(PAGE))) static long
behind(long value)
{
	ROOM();
	return value + 2;
}

static void allow(int number)
{
	(void)number;
	faults++;
	if (mprotect((void *)(uintptr_t)alone, PAGE, PROT_READ | PROT_EXEC))
		_exit(1);
}

int main(void)
{
	long (*volatile call)(long) = alone;
	long sum = 0;

	signal(SIGSEGV, allow);
	for (int i = 0; i < 40; i++) {
		mprotect((void *)(uintptr_t)alone, PAGE, i & 1 ? PROT_NONE : PROT_READ);
		sum += call(i);
	}
	printf("faults %d, sum %ld\n", faults, sum + behind(18));
	return 0;
}
