// build: gcc -O2
// args: 20
// output: end of the chain
// expect: function=step calls=21
// expect-process: program=exec_chain state=exec count=20
// expect-process: program=exec_chain state="exited 0" count=1
/* A program that replaces itself twenty times: each image is a process of its own. */
#include "lib/test.h"

#include <unistd.h>

KEPT static int step(int n)
{
	ROOM();
	return n - 1;
}

int main(int count, char **arguments)
{
	char number[16];
	int left = atoi(arguments[count - 1]), next = step(left);

	if (left == 0) {
		puts("end of the chain");
		return 0;
	}
	snprintf(number, sizeof(number), "%d", next);
	execl(arguments[0], arguments[0], number, (char *)NULL);
	return 1;
}
