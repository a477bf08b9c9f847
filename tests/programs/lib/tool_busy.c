/* A tool for tests of all programs (`--measure functions,tool`): it allocates, prints,
 * opens files, uses floating point and thread-local storage, and says when it begins and
 * ends. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static __thread int entered;
static char *blocks[64];

static void use_library(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 64; i++) {
		free(blocks[i]);
		blocks[i] = malloc((size_t)1 << i % 21);
		if (blocks[i])
			blocks[i][0] = (char)i;
	}
	blocks[0] = realloc(blocks[0], 3 << 20);
	if (blocks[0])
		memset(blocks[0], 1, 3 << 20);
	errno = EDOM;
	printf("%f %g\n", sqrt((double)getpid()), 0.1);
	FILE *file = fopen("/proc/self/maps", "r");
	int nothing = open("/nonexistent", O_RDONLY);

	if (file)
		fclose(file);
	if (nothing >= 0)
		abort();
	signal(SIGTERM, SIG_IGN);
	setlocale(LC_ALL, "C");
	munmap(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
	pthread_mutex_unlock(&lock);
}

static void *start(void *argument)
{
	return argument;
}

static void end(void)
{
	use_library();
	printf("end\n");
}

void _halt_startup(void);

__attribute__((visibility("default"))) void _halt_startup(void)
{
	pthread_t thread;

	if (entered++ || !pthread_create(&thread, NULL, start, NULL) || fork() >= 0)
		abort();
	printf("begin\n");
	use_library();
	atexit(end);
}
