// build: gcc -O2 lib/faults.S
// build(static): gcc -O2 -static lib/faults.S
// output: right 10 of 10
// expect: function=fault_2 calls=3 at-least
// expect: function=fault_3 calls=4 at-least
/*
 * Handlers of faults in the first instructions of functions, which mend the cause or skip
 * the instruction. With a case's number as argument, the handler of that case says so and
 * waits for a byte before it returns: the test may kill the tracer meanwhile.
 */
#include "lib/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096 };

int fault_1(const int *word), fault_2(const int *word), fault_3(const int *word),
	fault_4(const int *word), divide(int a, int b);

static int *page;
static int waiting = -1, current;
static volatile sig_atomic_t forks;

static void wait_here(void)
{
	char byte;

	if (waiting != current)
		return;
	waiting = -1;
	if (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, &byte, 1) < 0)
		_exit(4);
}

static void mend(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	if (forks && fork() == 0)
		forks = 2;
	wait_here();
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void skip(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	wait_here();
	registers[REG_RIP] += 2;
	registers[REG_RAX] = 35;
}

/* Another fault in the handler of the first. */
static void skip_nested(int number, siginfo_t *info, void *context)
{
	struct sigaction action = {.sa_sigaction = skip,
				   .sa_flags = SA_SIGINFO | SA_NODEFER};
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	sigaction(SIGSEGV, &action, NULL);
	registers[REG_RAX] = fault_3((const int *)64) == 42 ? 35 : 0;
	registers[REG_RIP] += 2;
}

static void set(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO | SA_NODEFER};

	CHECK(sigaction(number, &action, NULL) == 0);
}

static int mended(int (*function)(const int *), int value)
{
	*page = value;
	set(SIGSEGV, mend);
	CHECK(mprotect(page, PAGE, PROT_NONE) == 0);
	return function(page) == value + 7;
}

static int skipped(int (*function)(const int *))
{
	set(SIGSEGV, skip);
	return function((const int *)64) == 42;
}

static int divided(void)
{
	set(SIGFPE, skip);
	return divide(5, 0) == 35;
}

static int in_handler(void)
{
	set(SIGSEGV, skip_nested);
	return fault_2((const int *)64) == 42;
}

/* The handler goes back in two processes. */
static int in_child(void)
{
	int right, status = 0;

	forks = 1;
	right = mended(fault_2, 5);
	if (forks == 2)
		_exit(right ? 9 : 8);
	forks = 0;
	CHECK(wait(&status) > 0);
	return right && WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

static void *work(void *right)
{
	*(int *)right = mended(fault_3, 6);
	return NULL;
}

static int in_thread(void)
{
	pthread_t thread;
	int right = 0;

	CHECK(pthread_create(&thread, NULL, work, &right) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return right;
}

static int run(int number)
{
	switch (number) {
	case 0:
		return mended(fault_2, 1);
	case 1:
		return mended(fault_3, 2);
	case 2:
		return mended(fault_4, 3);
	case 3:
		return skipped(fault_1);
	case 4:
		return skipped(fault_2);
	case 5:
		return skipped(fault_3);
	case 6:
		return divided();
	case 7:
		return in_handler();
	case 8:
		return in_child();
	default:
		return in_thread();
	}
}

int main(int count, char **arguments)
{
	int right = 0;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	CHECK(page != MAP_FAILED);
	if (count > 1)
		waiting = atoi(arguments[1]);
	for (current = 0; current < 10; current++)
		right += run(current);
	printf("right %d of 10\n", right);
	return 0;
}
