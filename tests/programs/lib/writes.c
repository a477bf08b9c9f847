/* Writes more than a pipe holds, again and again, to a process that reads slowly, until
 * the input ends; says how often less was written than it was to be. */
#include "test.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 20, PIECE = 1 << 14 };

static char bytes[SIZE];

static void read_slowly(int end)
{
	static char piece[PIECE];

	while (read(end, piece, sizeof(piece)) > 0)
		usleep(100);
	_exit(0);
}

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	int ends[2], less = 0, all = 0;

	CHECK(!pipe(ends));
	if (!fork()) {
		close(ends[1]);
		read_slowly(ends[0]);
	}
	close(ends[0]);
	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, 0)) {
		less += write(ends[1], bytes, SIZE) != SIZE;
		all++;
	}
	close(ends[1]);
	CHECK(wait(NULL) > 0);
	printf("less %d of %d\n", less, all);
	return 0;
}
