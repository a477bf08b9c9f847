// build: gcc -O2 -pthread
// output: 400 signals, errors 0
// expect: function=tick calls=400 at-least
/*
 * A timer at 1 kHz, on an alternate stack, while allocating, printing and making threads.
 */
#include "lib/test.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static char alternate_stack[64 * 1024];

KEPT static void tick(int number)
{
	(void)number;
	signals++;
}

static void *thread(void *argument)
{
	char *text = strdup(argument);
	int length = (int)strlen(text);

	free(text);
	return (void *)(long)length;
}

static int round_of_work(int n)
{
	char text[64];
	void *result;
	pthread_t id;
	char *memory = malloc(100 + n % 5000);

	memset(memory, n, 100);
	snprintf(text, sizeof(text), "%08d %s", n, "text");
	free(memory);
	if (n % 16)
		return strlen(text) != 13;
	if (pthread_create(&id, NULL, thread, text))
		return 1;
	pthread_join(id, &result);
	return (long)result != 13;
}

int main(void)
{
	stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
	struct sigaction action = {.sa_handler = tick,
				   .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval timer = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
	int errors = 0;

	CHECK(sigaltstack(&stack, NULL) == 0);
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	for (int i = 0; signals < 400; i++)
		errors += round_of_work(i);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("400 signals, errors %d\n", errors);
	return 0;
}
