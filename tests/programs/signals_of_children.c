// build: gcc -O2
// output: 300 children ended
/*
 * Each child's end sends a signal that nobody handles, often while its parent has just
 * come out of fork: the thread goes on where that finds it. In the C library's _Fork a
 * jump behind a system call, which is made at its own place, covers the return.
 */
#include "lib/test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 300 };

int main(void)
{
	int ended = 0, status;

	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0)
			_exit(i % 7);
		CHECK(waitpid(child, &status, 0) == child);
		ended += WIFEXITED(status) && WEXITSTATUS(status) == i % 7;
	}
	printf("%d children ended\n", ended);
	return 0;
}
