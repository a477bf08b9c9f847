// build: gcc -O2
// output: 300 children ended
/*
 * The end of each child sends a signal without a handler, often while its parent has just
 * come out of fork: the thread goes on from there. In the C library's _Fork a jump behind
 * a system call, which is made at its original address, covers the return.
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
