/*
 * Threads that each wait in another system call, for two seconds or for ever. Nothing but
 * the time or what they wait for may end a call; what does is printed, in a fixed order.
 * A timer of 1 kHz runs in one of them.
 */
#include "test.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 2

static int ends[2], sockets[2], listener, polled, semaphores, watched, word;
static struct timeval limit = {SECONDS, 0};
static const struct timespec pause_time = {SECONDS, 0};
static struct epoll_event event;
static sigset_t awaited;
static volatile sig_atomic_t ticks;

static long wait_nanosleep(void)
{
	return nanosleep(&pause_time, NULL);
}

static long wait_clock(void)
{
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_time, NULL);
}

static long wait_poll(void)
{
	return poll(NULL, 0, SECONDS * 1000);
}

static long wait_select(void)
{
	struct timeval time = limit;

	return select(0, NULL, NULL, NULL, &time);
}

static long wait_epoll(void)
{
	return epoll_wait(polled, &event, 1, SECONDS * 1000);
}

static long wait_read(void)
{
	char byte;

	return read(ends[0], &byte, 1);
}

static long wait_receive(void)
{
	char byte;

	return recv(sockets[0], &byte, 1, 0);
}

static long wait_accept(void)
{
	return accept(listener, NULL, NULL);
}

static long wait_futex(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &pause_time, NULL, 0);
}

static long wait_signal(void)
{
	return sigtimedwait(&awaited, NULL, &pause_time);
}

static long wait_semaphore(void)
{
	struct sembuf down = {0, -1, 0};

	return semtimedop(semaphores, &down, 1, &pause_time);
}

static long wait_pause(void)
{
	return pause();
}

static long wait_inotify(void)
{
	char bytes[64];

	return read(watched, bytes, sizeof(bytes));
}

static const struct {
	const char *name;
	long (*wait)(void);
	int ever; /* does not end */
} waits[] = {
	{"nanosleep", wait_nanosleep, 0},
	{"clock_nanosleep", wait_clock, 0},
	{"poll", wait_poll, 0},
	{"select", wait_select, 0},
	{"epoll_wait", wait_epoll, 0},
	{"read", wait_read, 0},
	{"recv", wait_receive, 0},
	{"accept", wait_accept, 0},
	{"futex", wait_futex, 0},
	{"sigtimedwait", wait_signal, 0},
	{"semtimedop", wait_semaphore, 0},
	{"pause", wait_pause, 1},
	{"inotify", wait_inotify, 1},
};

#define COUNT (sizeof(waits) / sizeof(waits[0]))

static struct outcome {
	long result;
	int error, ended;
} outcomes[COUNT];

static void *serve(void *argument)
{
	size_t i = (size_t)argument;

	errno = 0;
	outcomes[i].result = waits[i].wait();
	outcomes[i].error = outcomes[i].result < 0 ? errno : 0;
	outcomes[i].ended = 1;
	return NULL;
}

KEPT static void tick(int number)
{
	(void)number;
	ticks++;
}

static void prepare(void)
{
	pipe(ends);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	listener = socket(AF_INET, SOCK_STREAM, 0);
	listen(listener, 1);
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	polled = epoll_create1(0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	watched = inotify_init();
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGUSR2);
	sigaddset(&awaited, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &awaited, NULL);
	sigdelset(&awaited, SIGALRM);
}

int main(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	pthread_t threads[COUNT];
	sigset_t alarm_only;

	prepare();
	for (size_t i = 0; i < COUNT; i++)
		pthread_create(&threads[i], NULL, serve, (void *)i);
	/* The main thread takes the timer's signals. */
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	signal(SIGALRM, tick);
	pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	puts("ready");
	fflush(stdout);
	while (ticks < SECONDS * 1000)
		pause();
	setitimer(ITIMER_REAL, &never, NULL);
	write(ends[1], "x", 1);
	for (size_t i = 0; i < COUNT; i++) {
		if (!waits[i].ever)
			pthread_join(threads[i], NULL);
		printf("%s: ended %d, %ld, error %d\n", waits[i].name, outcomes[i].ended,
		       outcomes[i].result, outcomes[i].error);
	}
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
