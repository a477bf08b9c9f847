/*
 * forks_load LIBRARY COUNT TOGETHER: so many children, that many of them at a time, each
 * of which loads a library whose usual places for trampolines are taken, at one of
 * several addresses, and calls it. Behind a quarter of the children, and behind all, the
 * program says how many there were and waits for a line.
 */
#include "test.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB  (1ull << 20)
#define STEP (16 * MIB)

/* Takes what lies below the libraries, where trampolines of the next ones would be. */
static void take_places(void)
{
	uintptr_t libraries = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc") & ~(STEP - 1);

	for (uint64_t at = 512 * MIB; at < 1216 * MIB; at += STEP)
		mmap((void *)(libraries - at - STEP), STEP, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
		     -1, 0);
}

KEPT static int child(const char *library, int number)
{
	if (number % 3)
		mmap(NULL, (size_t)(number % 3) << 20, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *handle = dlopen(library, RTLD_NOW);

	CHECK(handle);
	int (*work)(int) = (int (*)(int))dlsym(handle, "plugin_work");

	CHECK(work);
	return work(number) == 10 * number + 45 ? 0 : 1;
}

/* A child says that it is done, and ends when the pipe that it reads from is closed. */
static void start(const char *library, int number, int done, const int *end)
{
	pid_t pid = fork();
	char byte;

	CHECK(pid >= 0);
	if (pid)
		return;
	close(end[1]);
	int status = child(library, number);

	if (write(done, "d", 1) != 1 || read(end[0], &byte, 1) < 0)
		status = 1;
	_exit(status);
}

/* Children from `first` on, all of which are there before any of them ends. */
static int run(const char *library, int first, int count)
{
	int done[2], end[2], status, wrong = 0;
	char byte;

	CHECK(!pipe(done) && !pipe(end));
	for (int i = 0; i < count; i++)
		start(library, first + i, done[1], end);
	close(done[1]);
	for (int i = 0; i < count; i++)
		wrong += read(done[0], &byte, 1) != 1;
	close(end[0]);
	close(end[1]);
	close(done[0]);
	while (wait(&status) > 0)
		wrong += status != 0;
	return wrong;
}

static void tell(int number)
{
	char line[16];

	printf("%d\n", number);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return;
}

int main(int count, char **arguments)
{
	CHECK(count == 4);
	int all = atoi(arguments[2]), together = atoi(arguments[3]), wrong = 0;

	take_places();
	for (int i = 0; i < all; i += together) {
		if (i == all / 4)
			tell(i);
		wrong += run(arguments[1], i, together);
	}
	tell(all);
	printf("%d wrong\n", wrong);
	return 0;
}
