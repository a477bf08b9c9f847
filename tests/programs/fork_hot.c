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
		if (sum % 5 == n % 5)                                                    \
			sum -= n;                                                        \
		break;

KEPT static unsigned work(unsigned phase, unsigned sum)
{
	if (sum % 7 == phase % 7)
		sum++;
	switch (phase) {
		CASE(0)
		CASE(1)
		CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
			CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17)
				CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23)
					CASE(24) CASE(25) CASE(26) CASE(27) CASE(28)
						CASE(29) CASE(30) CASE(31) CASE(32)
							CASE(33) CASE(34) CASE(35)
								CASE(36) CASE(37) CASE(38)
									CASE(39)
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
