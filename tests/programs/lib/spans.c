/*
 * Two threads that work for half a second, in pieces; then it tells whether it is traced,
 * if it is asked to.
 */
#include "test.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static KEPT void piece(void)
{
	ROOM();
}

static void *work(void *argument)
{
	const struct timespec pause = {0, 2000000};

	for (int i = 0; i < 200; i++) {
		for (int k = 0; k < 100; k++)
			piece();
		nanosleep(&pause, NULL);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t other;
	char line[256];

	CHECK(!pthread_create(&other, NULL, work, NULL));
	work(NULL);
	CHECK(!pthread_join(other, NULL));
	if (argc > 1 && !strcmp(argv[1], "traced")) {
		FILE *file = fopen("/proc/self/status", "r");

		CHECK(file);
		while (fgets(line, sizeof(line), file))
			if (!strncmp(line, "TracerPid:", 10))
				puts(strtol(line + 10, NULL, 10) ? "traced" : "free");
		fclose(file);
	}
	puts("worked");
	return 9;
}
