/*
 * Loops whose trips are known: for run-probes.py. They are counted at a loop's first
 * instruction, which of do ... while is the body's, however it is compiled.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define PROBED __attribute__((noinline))
#define KEEP() __asm__ volatile(".nops 8" ::: "memory")

static jmp_buf back;
static volatile long last;

PROBED long plain(long count)
{
	long i = 0;

	do {
		last = i; /* the line of a point */
		KEEP();
	} while (++i < count);
	return i;
}

PROBED long nested(long outer, long inner)
{
	long i = 0, made = 0;

	do {
		long j = 0;

		do {
			KEEP();
			made++;
		} while (++j < inner);
		KEEP();
	} while (++i < outer);
	return made;
}

/* A loop in each of the calls under way. */
PROBED long recursive(long depth)
{
	volatile long i = 0;
	long made = 0;

	do {
		made += depth > 1 && i == 1 ? recursive(depth - 1) : 1;
		KEEP();
	} while (++i < depth + 2);
	return made;
}

/* Chosen when the program is loaded. */
static long chosen_here(long number)
{
	KEEP();
	return number + 1;
}

static long (*choose(void))(long)
{
	return chosen_here;
}

__attribute__((ifunc("choose"))) long chosen(long number);

PROBED void jump_at(long number)
{
	if (number == 1000)
		longjmp(back, 1);
}

/* Left by a return in the middle, and not at all. */
PROBED long leaves(long count, long at)
{
	long i = 0;

	do {
		KEEP();
		if (i == at)
			return i;
		jump_at(i);
	} while (++i < count);
	KEEP();
	return -1;
}

int main(void)
{
	volatile long sink = 0;

	for (int i = 1; i <= 40; i++)
		sink += plain(i);
	for (int i = 0; i < 10; i++)
		sink += nested(3, 5) + chosen(i);
	for (int i = 0; i < 6; i++)
		sink += recursive(4);
	for (int i = 0; i < 5; i++)
		sink += leaves(20, 7);
	for (int i = 0; i < 3; i++)
		sink += leaves(20, -1);
	if (!setjmp(back))
		sink += leaves(5000, -1);
	printf("= plain hits 40\n= plain sum %d\n= widest max 40\n", 41 * 40 / 2);
	printf("= nested hits 40\n= nested sum %d\n", 10 * (3 + 3 * 5));
	/* For each depth, 1 to 4: one entry of depth + 2 trips, within the next. */
	printf("= recursive hits 24\n= recursive sum %d\n", 6 * (3 + 4 + 5 + 6));
	printf("= leaves hits 8\n= leaves sum %d\n", 5 * 8 + 3 * 20);
	printf("= leaves lost 0\n= plain lost 0\n= plain errors 0\n");
	return 0;
}
