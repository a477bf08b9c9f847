/* Half of the time in the kernel: reads of zeros, and work of its own. */
#include "work.h"

#include <fcntl.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void own_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink += 3;
}

static char zeros[1 << 20];
static int file;

__attribute__((noinline)) void call_step(void)
{
	if (read(file, zeros, sizeof(zeros)) != sizeof(zeros))
		_exit(1);
}

int main(void)
{
	file = open("/dev/zero", O_RDONLY);
	WORK_FOR(0.2, own_step());
	WORK_FOR(0.2, call_step());
	return 0;
}
