/*
 * A program with functions that lack something, for run-probes.py: points of probes that
 * can never be hit must be told.
 */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, aligned(64)))

volatile int sink;

APART int uncalled(int number)
{
	for (int i = 0; i < number; i++)
		sink += i;
	return sink;
}

APART __attribute__((noreturn)) void leave(int status)
{
	sink = status;
	exit(status);
}

APART int once(int a, int b)
{
	sink = a;
	if (b > 1000)
		sink = a * b;
	return a + b;
}

APART int plain(int a, int b)
{
	return a * 3 + b * 5 + 17;
}

int main(int argc, char **argv)
{
	if (argc > 5)
		uncalled(argc);
	printf("%d %d %d\n", once(argc, 2), plain(argc, 3), argv[argc] != NULL);
	leave(0);
}
