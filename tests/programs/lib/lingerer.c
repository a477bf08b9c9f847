/* Leaves a child that works on for two seconds. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

KEPT static void linger(void)
{
	usleep(10000);
}

int main(void)
{
	int null = open("/dev/null", O_RDWR);

	if (fork() != 0)
		return 0;
	setsid();
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	for (int i = 0; i < 200; i++)
		linger();
	return 0;
}
