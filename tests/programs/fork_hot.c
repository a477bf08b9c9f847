// build: gcc -O1
// build(clang): clang -O1
// output: done
// expect: function=work calls=400000 at-least
/*
 * Functions that run often, with ever more of their blocks, in a process that forks all
 * the time: with coverage they run at their own places, and in each child not yet.
 */
#include "lib/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PHASES 40
#define STEPS  10000

#define CASE(n)                                                                          \
	case n:                                                                          \
		sum += (sum >> 3) ^ (n);                                                 \
		if (sum % 5 == (n) % 5)                                                  \
			sum -= n;                                                        \
		break
#define ROW(n)                                                                           \
	CASE(n);                                                                         \
	CASE((n) + 1);                                                                   \
	CASE((n) + 2);                                                                   \
	CASE((n) + 3);                                                                   \
	CASE((n) + 4)

KEPT static unsigned work(unsigned phase, unsigned sum)
{
	if (sum % 7 == phase % 7)
		sum++;
	switch (phase) {
		ROW(0);
		ROW(5);
		ROW(10);
		ROW(15);
		ROW(20);
		ROW(25);
		ROW(30);
		ROW(35);
	}
	return sum;
}

KEPT static unsigned run(unsigned phases, unsigned steps)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < steps; i++)
		for (unsigned phase = phases > 3 ? phases - 3 : 0; phase < phases;
		     phase++)
			sum = work(phase, sum);
	return sum;
}

/* A child runs what its parent did, and what that did not. */
static int same_in_child(unsigned phases)
{
	unsigned sum = run(phases, 100), other = run(phases + 1, 100);
	int status;
	pid_t child = fork();

	if (!child)
		_exit(run(phases, 100) != sum || run(phases + 1, 100) != other);
	return waitpid(child, &status, 0) == child && status == 0;
}

int main(void)
{
	for (unsigned phase = 1; phase < PHASES; phase++) {
		CHECK(run(phase, STEPS) != 0);
		CHECK(same_in_child(phase - 1));
	}
	puts("done");
	return 0;
}
