// build: gcc -O2
// build(static): gcc -O2 -static
// build(syscall): gcc -O2 -DBY_SYSCALL
// output: faults 20, sum 840
// expect-process: program=guard_code count=1 reason=guards
/*
 * A program puts guards over its code (MADV_GUARD_INSTALL, files since Linux 6.15) and
 * takes them away in the handler of the fault that follows. Copies of that code must not
 * run instead, and the report says why the process was let go.
 */
#include "lib/test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

enum { INSTALL = 102, REMOVE = 103, ROUNDS = 40 };

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

static int advise(int advice)
{
#ifdef BY_SYSCALL
	return (int)syscall(SYS_madvise, alone, PAGE, advice);
#else
	return madvise((void *)(uintptr_t)alone, PAGE, advice);
#endif
}

static void allow(int number)
{
	(void)number;
	faults++;
	if (advise(REMOVE))
		_exit(1);
}

int main(void)
{
	long (*volatile call)(long) = alone;
	long sum = 0;

	signal(SIGSEGV, allow);
	for (int i = 0; i < ROUNDS; i++) {
		/* Older kernels have none: as if it had been there. */
		if (i & 1 && advise(INSTALL))
			faults++;
		sum += call(i);
	}
	printf("faults %d, sum %ld\n", faults, sum + behind(18));
	return 0;
}
