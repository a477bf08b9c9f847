// build: gcc -O2
// output: children 50, memory shared 5000
// expect: function=in_child calls=50
// expect: function=leaf calls=10000
/* clone(CLONE_VM) without CLONE_THREAD: another process in the same memory, at the same
 * time. */
#include "lib/test.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static volatile int shared;
static char stack[16384] __attribute__((aligned(16)));

KEPT static int leaf(int n)
{
	return n + 1;
}

KEPT static int in_child(void *argument)
{
	for (int i = 0; i < 100; i++)
		shared = leaf(shared);
	return argument != NULL;
}

int main(void)
{
	volatile int own = 0;
	int children = 0, status;

	for (int i = 0; i < 50; i++) {
		int child =
			clone(in_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

		CHECK(child > 0);
		for (int j = 0; j < 100; j++)
			own = leaf(own);
		CHECK(waitpid(child, &status, 0) == child);
		children += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	CHECK(own == 5000);
	printf("children %d, memory shared %d\n", children, shared);
	return 0;
}
