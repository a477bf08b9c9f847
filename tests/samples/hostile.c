/*
 * What a program may do against whoever interrupts it: `hostile WORD`. After that it
 * works for known times: `= share FUNCTION PERCENT`. What it prints must be as bare.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void heavy_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink += 3;
}

__attribute__((noinline)) void light_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink ^= 5;
}

static void work(void)
{
	WORK_FOR(0.2, heavy_step());
	WORK_FOR(0.1, light_step());
}

static volatile sig_atomic_t caught;

static void count_signal(int signal)
{
	(void)signal;
	caught++;
}

static void set_all(void (*handler)(int))
{
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		if (signal != SIGCHLD && signal != SIGSEGV)
			sigaction(signal, &(struct sigaction){.sa_handler = handler},
				  NULL);
}

static void block(void)
{
	sigset_t all, pending;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	work();
	sigpending(&pending);
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		if (sigismember(&pending, signal) == 1)
			printf("signal %d is pending\n", signal);
}

static void ignore(void)
{
	set_all(SIG_IGN);
	work();
}

static void replace(void)
{
	set_all(count_signal);
	work();
	printf("%d signals came\n", (int)caught);
}

static void close_descriptors(void)
{
	closefrom(3);
	work();
	printf("the next descriptor is %d\n", open("/dev/null", O_RDONLY));
}

/* Timers have the numbers that they have in a program that nobody measures. */
static void timers(void)
{
	struct itimerspec soon = {{0, 2000000}, {0, 2000000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	struct itimerval real = {{0, 3000}, {0, 3000}};
	int id = -1;

	signal(SIGRTMIN, count_signal);
	signal(SIGPROF, count_signal);
	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &id))
		perror("timer_create");
	syscall(SYS_timer_settime, id, 0, &soon, NULL);
	setitimer(ITIMER_PROF, &real, NULL);
	work();
	printf("timer %d, signals %s\n", id, caught > 4 ? "came" : "are missing");
}

static void no_pending(void)
{
	struct rlimit none = {0, 0};
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	int id = -1;

	setrlimit(RLIMIT_SIGPENDING, &none);
	printf("timer: %d\n",
	       (int)syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	work();
}

/* All that may be mapped is. */
static void exhaust(void)
{
	struct rlimit limit = {64 << 20, 64 << 20};
	size_t size = 16 << 20;

	setrlimit(RLIMIT_AS, &limit);
	while (size >= 4096)
		if (mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		    MAP_FAILED)
			size /= 2;
	printf("malloc: %s\n", malloc(1 << 20) ? "there is memory" : "no memory");
	work();
}

static void fork_within(int signal)
{
	pid_t child = fork();

	(void)signal;
	if (!child) {
		work();
		_exit(3);
	}
	int status;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	caught = WEXITSTATUS(status);
}

static void fork_in_handler(void)
{
	signal(SIGUSR1, fork_within);
	raise(SIGUSR1);
	work();
	printf("the child ended with %d\n", (int)caught);
}

static void execute(void)
{
	fflush(stdout);
	execl("/proc/self/exe", "hostile", "second", (char *)NULL);
}

static int fds[2];

static void *write_much(void *argument)
{
	static char bytes[1 << 20];

	memset(bytes, 'x', sizeof(bytes));
	for (int i = 0; i < 8; i++)
		if (write(fds[1], bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
			puts("a write is cut short");
	close(fds[1]);
	return argument;
}

/* Calls that a stop would cut short. */
static void call_much(void)
{
	char bytes[4096];
	size_t total = 0;
	ssize_t size;
	pthread_t thread;

	if (pipe(fds))
		perror("pipe");
	pthread_create(&thread, NULL, write_much, NULL);
	while ((size = read(fds[0], bytes, sizeof(bytes))) > 0) {
		total += (size_t)size;
		if (usleep(10) && errno == EINTR)
			puts("a wait is cut short");
	}
	pthread_join(thread, NULL);
	printf("%zu bytes\n", total);
	work();
}

static void nothing(void)
{
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*act)(void);
	} words[] = {
		{"block", block},     {"ignore", ignore},
		{"replace", replace}, {"close", close_descriptors},
		{"timers", timers},   {"no-pending", no_pending},
		{"exhaust", exhaust}, {"fork", fork_in_handler},
		{"execute", execute}, {"second", work},
		{"calls", call_much}, {"nothing", nothing},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(argv[1], words[i].word))
			words[i].act();
	puts("= share heavy_step 66.7\n= share light_step 33.3");
	return 5;
}
