// build: gcc -O2
// output: started
// settle: 3
// expect: function=daemon_work calls=500
// expect: function=before_fork calls=1
/* A daemon that forks twice and lives on for half a second: its counts are not lost. */
#include "lib/test.h"

#include <fcntl.h>
#include <unistd.h>

KEPT static void before_fork(void)
{
	puts("started");
	fflush(stdout);
}

KEPT static void daemon_work(void)
{
	usleep(1000);
}

int main(void)
{
	int null;

	before_fork();
	if (fork() != 0)
		_exit(0);
	setsid();
	if (fork() != 0)
		_exit(0);
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	for (int i = 0; i < 500; i++)
		daemon_work();
	return 0;
}
