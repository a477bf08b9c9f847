/* Preloaded: time() is as many seconds off as the file $TRAMMEL_TEST_CLOCK says. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

time_t time(time_t *where)
{
	const char *path = getenv("TRAMMEL_TEST_CLOCK");
	const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char text[32] = "";
	struct timespec now;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += atol(text);
	if (where)
		*where = now.tv_sec;
	return now.tv_sec;
}
