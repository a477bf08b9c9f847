// build: gcc -O2 -pthread
// build(clang): clang -O2 -pthread
// build(O0): gcc -O0 -pthread
// output: sum 425
// expect: function=leaf calls=204
// expect-context: path=main/straight/leaf calls=20
// expect-context: path=main/twice/straight/leaf calls=80
// expect-context: path=recurse/recurse/leaf calls=1
// expect-context: path=recurse/recurse calls=30
// expect-context: path=main/even/odd/even/odd/leaf calls=1
// expect-context: path=main/even calls=1
// expect-context: path=odd/even calls=4
// expect-context: path=come_back/jump/jump_on/leaf calls=10
// expect-context: path=main/come_back/leaf calls=10
// expect-context: path=main/come_back/jump calls=10
// expect-context: path=main/many/leaf calls=5
// expect-context: path=many/jump calls=5
// expect-context: path=main/interrupt/raise at-least calls=3
// expect-context: path=on_signal/leaf calls=6
// expect-context: path=in_thread/straight/leaf calls=40
// expect-context: path=cancelled/leaf calls=2
// expect-context: path=on_cancel/leaf calls=2
// expect-context: path=main/forks/leaf calls=3
// expect-context: path=main/forks/straight/leaf calls=20
// expect-context: path=main/ends/exit calls=1
/* Functions are called in all contexts that there are, and left in all ways. */
#include "lib/test.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
static jmp_buf back;

KEPT int leaf(int n);
KEPT int leaf(int n)
{
	ROOM();
	return n & 7;
}

KEPT int straight(int times);
KEPT int straight(int times)
{
	int all = 0;

	for (int i = 0; i < times; i++)
		all += leaf(i);
	return all;
}

KEPT int twice(int times);
KEPT int twice(int times)
{
	return straight(times) + straight(times) + 1;
}

KEPT int recurse(int depth);
KEPT int recurse(int depth)
{
	int all = depth ? recurse(depth - 1) : leaf(1);

	sum += all; /* no call at the end, and no loop */
	return all;
}

KEPT int even(int n);
KEPT int odd(int n);
KEPT int odd(int n)
{
	return (n ? even(n - 1) : 0) + leaf(n);
}

KEPT int even(int n)
{
	return n ? odd(n - 1) + 1 : 1;
}

KEPT void jump_on(void);
KEPT void jump_on(void)
{
	sum += leaf(1);
	longjmp(back, 1);
}

KEPT int jump(int how);
KEPT int jump(int how)
{
	if (how)
		jump_on();
	return sum + 1;
}

KEPT void come_back(void);
KEPT void come_back(void)
{
	for (volatile int i = 0; i < 10; i++)
		if (!setjmp(back))
			sum += jump(1);
		else
			sum += leaf(2);
}

/* So many arguments that some go by the stack. */
KEPT int many(int a, int b, int c, int d, int e, int f, int g, int h);
KEPT int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int all = leaf(a + b + c + d + e + f + g + h);

	jump(0);
	return all;
}

static void on_signal(int number)
{
	(void)number;
	sum += leaf(1);
}

KEPT void interrupt(bool aside);
KEPT void interrupt(bool aside)
{
	static char stack[1 << 16];
	const stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = aside ? SA_ONSTACK : 0};

	if (aside)
		sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
}

static void *in_thread(void *argument)
{
	return (char *)argument + straight(10);
}

KEPT void on_cancel(void *argument);
KEPT void on_cancel(void *argument)
{
	(void)argument;
	__atomic_fetch_add(&sum, leaf(1), __ATOMIC_RELAXED);
}

static void *cancelled(void *argument)
{
	int *pipe = argument;
	char byte = 0;

	pthread_cleanup_push(on_cancel, NULL);
	__atomic_fetch_add(&sum, leaf(1), __ATOMIC_RELAXED);
	if (write(pipe[1], &byte, 1) == 1)
		for (;;)
			pause();
	pthread_cleanup_pop(0);
	return NULL;
}

KEPT void threads(void);
KEPT void threads(void)
{
	pthread_t threads[4];
	int ends[2];
	char byte;

	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, in_thread, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(!pipe(ends));
	for (int i = 0; i < 2; i++) {
		CHECK(!pthread_create(&threads[i], NULL, cancelled, ends));
		CHECK(read(ends[0], &byte, 1) == 1);
		pthread_cancel(threads[i]);
		pthread_join(threads[i], NULL);
	}
}

KEPT void forks(void);
KEPT void forks(void)
{
	int status;

	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();

		if (!child) {
			leaf(1);
			_exit(straight(10) & 1);
		}
		CHECK(waitpid(child, &status, 0) == child);
	}
	sum += leaf(2);
}

KEPT void ends(void);
KEPT void ends(void)
{
	printf("sum %d\n", sum);
	exit(0);
}

int main(void)
{
	sum = straight(20) + twice(40) + recurse(30) + even(9);
	come_back();
	for (int i = 0; i < 5; i++)
		sum += many(i, 1, 2, 3, 4, 5, 6, 7);
	interrupt(false);
	interrupt(true);
	threads();
	forks();
	ends();
}
