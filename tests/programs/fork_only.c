// build: gcc -O2
// build(static): gcc -O2 -static
// output: children 20 of 20
// expect: function=leaf calls=11000
// expect: function=in_child calls=20
// expect-process: program=fork_only state="exited 0" count=21
/*
 * Forks without exec: the counts of each child are its own, and none is lost or doubled.
 */
#include "lib/test.h"

#include <sys/wait.h>
#include <unistd.h>

KEPT static int leaf(int n)
{
	return n + 1;
}

KEPT static int in_child(int number)
{
	volatile int n = number;

	for (int i = 0; i < 500; i++)
		n = leaf(n);
	return n != number + 500;
}

int main(void)
{
	volatile int n = 0;
	int good = 0, status;

	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0) {
			if (i % 2)
				_exit(in_child(i));
			exit(in_child(i));
		}
		for (int j = 0; j < 50; j++)
			n = leaf(n);
		CHECK(waitpid(child, &status, 0) == child);
		good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	printf("children %d of 20\n", good);
	return 0;
}
