// build: gcc -O2 -pthread
// build(clang): clang -O2 -pthread
// plugin: libplugin1.so lib/called.c gcc -O2
// output: sum 21800150, signals came, nulls 40, plugins 4000
// expect-arc: function=first caller=phase calls=6000000 kind=indirect
// expect-arc: function=second caller=phase calls=4000000 kind=indirect
// expect-arc: function=third caller=phase calls=1600250 kind=indirect
// expect-arc: function=first caller=through calls=3000000 kind=indirect
// expect: function=called_leaf calls=4000 module=libplugin1
/*
 * Calls that go to one function for a while and then to another, in two threads and a
 * child, from a register and from memory, with signals at any time, some of which leave;
 * through a pointer that is null; and in a library that is loaded again elsewhere.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef long function(long n);

KEPT static long first(long n)
{
	ROOM();
	return n + 1;
}

KEPT static long second(long n)
{
	ROOM();
	return n + 2;
}

KEPT static long third(long n)
{
	ROOM();
	return n + 3;
}

static volatile sig_atomic_t came;

static void on_timer(int signal)
{
	(void)signal;
	came = 1;
}

/* From a register. */
KEPT static long phase(function *called, long turns)
{
	long sum = 0;

	for (long i = 0; i < turns; i++)
		sum += called(0);
	return sum;
}

static struct {
	long pad;
	function *volatile called;
} table = {0, first};

/* From memory. */
KEPT static long through(long turns)
{
	long sum = 0;

	for (long i = 0; i < turns; i++)
		sum += table.called(0);
	return sum;
}

static sigjmp_buf again;
static function *volatile nothing;

static void on_fault(int signal)
{
	siglongjmp(again, signal);
}

/* The same site as all others. */
KEPT static int call_null(void)
{
	int count = 0;

	for (int i = 0; i < 40; i++) {
		if (!sigsetjmp(again, 1))
			phase(nothing, 1);
		else
			count++;
		CHECK(phase(third, 5) == 15);
	}
	return count;
}

/* At another address each time, as its place is taken. */
KEPT static long load_again(const char *folder)
{
	char path[4096];
	long sum = 0;

	snprintf(path, sizeof(path), "%s/libplugin1.so", folder);
	for (int i = 0; i < 4; i++) {
		void *library = dlopen(path, RTLD_NOW);
		long (*work)(long) = library ? dlsym(library, "called_work") : NULL;

		CHECK(work != NULL);
		uintptr_t place = (uintptr_t)work & -4096ul;

		sum += work(1000);
		CHECK(dlclose(library) == 0);
		mmap((void *)place, 4096, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	return sum;
}

static void *thread(void *argument)
{
	*(long *)argument = phase(first, 1000000) + phase(second, 1000000);
	return NULL;
}

static long in_child(void)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child)
		_exit(phase(third, 50) == 150 ? 0 : 1);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 150;
}

int main(int argc, char **argv)
{
	const struct itimerval every = {{0, 900}, {0, 900}}, never = {{0, 0}, {0, 0}};
	struct sigaction timer = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	struct sigaction fault = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
	long sum = 0, other = 0;
	pthread_t id;

	(void)argc;
	CHECK(sigaction(SIGALRM, &timer, NULL) == 0);
	CHECK(sigaction(SIGSEGV, &fault, NULL) == 0);
	CHECK(pthread_create(&id, NULL, thread, &other) == 0);
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	for (int i = 0; i < 30; i++)
		sum += phase(first, 100000) + phase(second, 100000);
	sum += phase(first, 2000000);
	sum += phase(third, 1600000) + through(3000000);
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	CHECK(pthread_join(id, NULL) == 0);
	sum += in_child();
	int nulls = call_null();
	*strrchr(argv[0], '/') = '\0';
	long plugins = load_again(argv[0]);

	printf("sum %ld, signals %s, nulls %d, plugins %ld\n", sum + other,
	       came ? "came" : "did not come", nulls, plugins);
	return 0;
}
