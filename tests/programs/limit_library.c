// build: gcc -O2
// output: done
/* RLIMIT_AS leaves room for a library, but not for all that belongs to it in trammel's
 * eyes, a bit more each time: it must work all the same, also where a timer interrupts
 * it. */
#include "lib/test.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int number)
{
	(void)number;
	ticks++;
}

static unsigned long mapped_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	CHECK(file && fscanf(file, "%lu", &pages) == 1);
	fclose(file);
	return pages << 12;
}

/* Loads the library with so many bytes more than now, and works in it. */
static int load(unsigned long more)
{
	struct rlimit before, limit;
	unsigned long (*sum)(unsigned long, const unsigned char *, unsigned);
	static unsigned char bytes[4096];

	CHECK(getrlimit(RLIMIT_AS, &before) == 0);
	limit = before;
	limit.rlim_cur = mapped_bytes() + more;
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	void *library = dlopen("libz.so.1", RTLD_NOW);

	if (library) {
		*(void **)&sum = dlsym(library, "crc32");
		CHECK(sum != NULL);
		for (int start = ticks, i = 0; ticks < start + 3 || i < 10; i++)
			CHECK(sum(0, bytes, sizeof(bytes)) == 0xc71c0011);
		CHECK(dlclose(library) == 0);
	}
	CHECK(setrlimit(RLIMIT_AS, &before) == 0);
	return library != NULL;
}

int main(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}};
	int loaded = 0;

	CHECK(signal(SIGALRM, tick) != SIG_ERR);
	CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	for (unsigned long more = 0; more < 100; more++)
		loaded += load(more << 14);
	CHECK(loaded > 0);
	printf("done\n");
	return 0;
}
