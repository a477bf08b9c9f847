// build: gcc -O1
// build(O2): gcc -O2
// build(clang): clang -O1
// output: jumps 1, returns 1, nested 1, own stack 1, created 1, threads 1, waited 1
// expect: function=step calls=10000000 at-least
// not-spans: each of its calls would be a region, and handlers leave them open
/*
 * Timers that come faster than a tracer can follow. Their handlers leave by siglongjmp,
 * on either stack, return, and may be interrupted by themselves. What was begun must come
 * to its end, on a stack of usual size.
 */
#include "lib/step.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define STEPS 2000000

/* More than handlers take that interrupt themselves now and then, and much less than the
 * stack has. */
#define NESTED_STACK (256 << 10)

static sigjmp_buf back;
static volatile long came, total;
static char own_stack[65536];

static void leave(int number)
{
	(void)number;
	came++;
	siglongjmp(back, 1);
}

static void stay(int number)
{
	(void)number;
	came++;
}

static char *volatile lowest;

static void nest(int number)
{
	char here;

	(void)number;
	came++;
	if (&here < lowest)
		lowest = &here;
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(signal, &action, NULL);
}

static void set(int us)
{
	struct itimerval timer = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* The timer is set once, or anew after each jump. */
static int jumps(int us, int flags, int again)
{
	volatile long i = 0;

	handle(SIGALRM, leave, flags);
	if (!sigsetjmp(back, 1) || again)
		set(us);
	for (; i < STEPS; i++)
		total += step(i);
	set(0);
	return i == STEPS;
}

static int returns(int us, int flags, void (*handler)(int))
{
	long i;

	handle(SIGALRM, handler, flags);
	set(us);
	for (i = 0; i < STEPS; i++)
		total += step(i);
	set(0);
	return i == STEPS;
}

static int nested(void)
{
	char here;

	lowest = &here;
	return returns(97, SA_NODEFER, nest) && &here - lowest < NESTED_STACK;
}

static int created(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	struct itimerspec time = {{0, 50000}, {0, 50000}};
	volatile long i = 0;
	timer_t timer;

	handle(SIGRTMIN, leave, 0);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	sigsetjmp(back, 1);
	timer_settime(timer, 0, &time, NULL);
	for (; i < STEPS; i++)
		total += step(i);
	timer_delete(timer);
	return i == STEPS;
}

static void *work(void *result)
{
	long sum = 0;

	for (long i = 0; i < STEPS; i++)
		sum += step(i);
	*(long *)result = sum;
	return NULL;
}

static int threads(void)
{
	pthread_t ids[3];
	sigset_t alarm;
	long sums[3];

	handle(SIGALRM, stay, SA_RESTART);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	set(50);
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, work, &sums[i]);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	set(0);
	return sums[0] == sums[1] && sums[1] == sums[2];
}

/* A signal that waited comes before the call returns that lets it through; one that is
 * off does not come any more. */
static int waited(void)
{
	struct itimerval once = {{0, 0}, {0, 50}};
	sigset_t alarm, pending;
	int right = 1;

	handle(SIGALRM, stay, 0);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	for (int i = 0; i < 200; i++) {
		long before = came;

		sigprocmask(SIG_BLOCK, &alarm, NULL);
		setitimer(ITIMER_REAL, &once, NULL);
		do
			sigpending(&pending);
		while (!sigismember(&pending, SIGALRM));
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
		right &= came == before + 1;
	}
	for (int i = 0; i < 200; i++) {
		set(60);
		total += step(i);
		set(0);
		long before = came;

		for (int j = 0; j < 5000; j++)
			total += step(j);
		right &= came == before;
		sigprocmask(SIG_BLOCK, NULL, &pending);
		right &= !sigismember(&pending, SIGALRM);
	}
	return right;
}

int main(void)
{
	stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};

	sigaltstack(&stack, NULL);
	printf("jumps %d", jumps(97, 0, 0) && jumps(50, 0, 1));
	printf(", returns %d", returns(50, 0, stay));
	printf(", nested %d", nested());
	printf(", own stack %d",
	       jumps(97, SA_ONSTACK, 0) && returns(50, SA_ONSTACK, stay));
	printf(", created %d", created());
	printf(", threads %d", threads());
	printf(", waited %d\n", waited());
	return 0;
}
