/*
 * Calls that wait, each a known number of times and for at least a known time: a word
 * says which. Lines tell what must be found:
 *
 *     = TIMES LEAST_MS WHAT	FUNCTION...
 *
 * where WHAT is a regular expression for what is waited for, and the functions are on the
 * path, the outermost first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLACE __attribute__((noinline))

enum { TIMES = 25 };

static int ends[2], back[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int held, handled, done;
static volatile int waiting;
static sigjmp_buf out;

static void tell(int times, int least_ms, const char *what, const char *functions)
{
	printf("= %d %d %s\t%s\n", times, least_ms, what, functions);
	fflush(stdout);
}

PLACE void pause_ms(int ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000L};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

PLACE void sleep_short(void)
{
	const struct timespec two = {0, 2000000};

	for (int i = 0; i < TIMES; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &two, NULL);
	done = 1;
}

static void sleeps(void)
{
	sleep_short();
	tell(TIMES, 2 * TIMES, "sleep", "main sleeps sleep_short");
}

/* One that waits for each byte, and one that sends it late. */
PLACE void *receive_all(void *argument)
{
	char byte;

	for (int i = 0; i < TIMES; i++)
		if (read(ends[0], &byte, 1) != 1 || write(back[1], "b", 1) != 1)
			abort();
	done = 1;
	return argument;
}

PLACE void send_all(void)
{
	char byte;

	for (int i = 0; i < TIMES; i++) {
		pause_ms(3);
		if (write(ends[1], "a", 1) != 1 || read(back[0], &byte, 1) != 1)
			abort();
	}
	done = 1;
}

static void pipes(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive_all, NULL);
	send_all();
	pthread_join(thread, NULL);
	tell(TIMES, 2 * TIMES, "pipe [(]fd [0-9]+[)]", "receive_all read");
	tell(TIMES, 0, "pipe [(]fd [0-9]+[)]", "main pipes send_all read");
}

PLACE void let_go(void)
{
	pthread_mutex_unlock(&mutex);
	done = 1;
}

PLACE void *hold_mutex(void *argument)
{
	pthread_mutex_lock(&mutex);
	held = 1;
	while (!waiting)
		usleep(1000);
	pause_ms(60);
	let_go();
	return argument;
}

PLACE void want_mutex(void)
{
	waiting = 1;
	pthread_mutex_lock(&mutex);
	done = 1;
}

static void mutexes(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_mutex, NULL);
	while (!held)
		usleep(1000);
	want_mutex();
	pthread_join(thread, NULL);
	tell(1, 30, "mutex 0x[0-9a-f]+ held by thread [0-9]+", "main mutexes want_mutex");
}

static void handle(int number)
{
	(void)number;
	handled++;
}

static void set_handler(int number, int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};

	sigaction(number, &action, NULL);
}

static void *send_late(void *argument)
{
	pause_ms(150);
	if (write(ends[1], "a", 1) != 1)
		abort();
	return argument;
}

PLACE void read_through(void)
{
	char byte;

	if (read(ends[0], &byte, 1) != 1)
		abort();
	done = 1;
}

/* A call that the kernel makes again after each signal is one. */
static void restarts(void)
{
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
	sigset_t alarm;
	pthread_t thread;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	pthread_create(&thread, NULL, send_late, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	set_handler(SIGALRM, SA_RESTART);
	setitimer(ITIMER_REAL, &often, NULL);
	read_through();
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_join(thread, NULL);
	if (handled < 2)
		abort();
	tell(1, 50, "pipe [(]fd [0-9]+[)]", "main restarts read_through");
}

PLACE int pause_once(void)
{
	const struct timespec long_time = {100, 0};

	return clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL);
}

/* One that ends with EINTR is one each time. */
static void interrupted(void)
{
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
	int times = 0;

	set_handler(SIGALRM, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; times < 5; times++)
		if (pause_once() != EINTR)
			abort();
	setitimer(ITIMER_REAL, &never, NULL);
	tell(5, 5, "sleep", "main interrupted pause_once");
}

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

PLACE void read_until_jump(void)
{
	char byte;

	if (!sigsetjmp(out, 1)) {
		ualarm(30000, 0);
		if (read(ends[0], &byte, 1))
			abort();
	}
	done = 1;
}

/* Left by a jump out of the handler. */
static void jumps(void)
{
	signal(SIGALRM, jump);
	for (int i = 0; i < 3; i++)
		read_until_jump();
	tell(3, 30, "pipe [(]fd [0-9]+[)]", "main jumps read_until_jump");
}

PLACE void *wait_for_cancel(void *argument)
{
	char byte;

	waiting = 1;
	if (read(ends[0], &byte, 1))
		abort();
	return argument;
}

static void cancels(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, wait_for_cancel, NULL);
	while (!waiting)
		usleep(1000);
	pause_ms(20);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	if (result != PTHREAD_CANCELED)
		abort();
	tell(1, 10, "pipe [(]fd [0-9]+[)]", "wait_for_cancel");
}

/* A stop goes in between, by which a sleep becomes another call. */
static void stops(void)
{
	pid_t parent = getpid();

	fflush(stdout);
	if (!fork()) {
		usleep(30000);
		kill(parent, SIGSTOP);
		usleep(30000);
		kill(parent, SIGCONT);
		_exit(0);
	}
	pause_ms(150);
	wait(NULL);
	tell(1, 50, "sleep", "main stops pause_ms");
}

PLACE void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		abort();
	done = 1;
}

PLACE void sleep_in_child(void)
{
	pause_ms(20);
	done = 1;
}

extern char **environ;

static void children(void)
{
	char *const words[] = {"sleep", "0.03", NULL};
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			sleep_in_child();
			_exit(0);
		}
		wait_for(pid);
	}
	posix_spawnp(&pid, "sleep", NULL, NULL, words, environ);
	wait_for(pid);
	pid = vfork();
	if (!pid)
		execvp(words[0], words);
	wait_for(pid);
	tell(4, 60, "child [0-9]+", "main children wait_for");
	tell(2, 40, "sleep", "main children sleep_in_child");
	tell(4, 100, "sleep", "nanosleep");
}

static void selects(void)
{
	struct timeval time = {0, 20000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	select(ends[0] + 1, &set, NULL, NULL, &time);
	tell(1, 20, "select of pipe [(]fd [0-9]+[)]", "main selects select");
}

PLACE void *wait_for_ever(void *argument)
{
	char byte;

	waiting = 1;
	if (read(ends[0], &byte, 1))
		abort();
	return argument;
}

/* The end of the process is that of their calls. */
static void ends_waiting(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	while (!waiting)
		usleep(1000);
	pause_ms(30);
	tell(1, 20, "pipe [(]fd [0-9]+[)]", "wait_for_ever read");
}

static void killed(void)
{
	ends_waiting();
	kill(getpid(), SIGTERM);
	for (;;)
		pause();
}

static const struct {
	const char *word;
	void (*act)(void);
} tests[] = {
	{"sleeps", sleeps},           {"pipes", pipes},
	{"mutexes", mutexes},         {"restarts", restarts},
	{"interrupted", interrupted}, {"jumps", jumps},
	{"cancels", cancels},         {"stops", stops},
	{"children", children},       {"selects", selects},
	{"ends", ends_waiting},       {"killed", killed},
};

int main(int argc, char **argv)
{
	if (argc != 2 || pipe(ends) || pipe(back))
		return 2;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].word, argv[1]))
			tests[i].act();
	return done > 1;
}
