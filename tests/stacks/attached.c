/*
 * Threads in calls that a stop would cut short, or end with EINTR: they see neither while
 * a tracer comes and goes. With an argument all are in such calls, and stay there. It
 * says "ready", and when its input ends "fine", or what was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BIG = 1 << 20 };

static int quiet[2], full[2], pair[2], events, semaphores;
static volatile int over, begun;

static void check(int right, const char *what)
{
	if (!right) {
		printf("wrong: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void begin(const char *name)
{
	pthread_setname_np(pthread_self(), name);
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
}

static void *await_event(void *argument)
{
	struct epoll_event event;

	begin("event");
	check(epoll_wait(events, &event, 1, -1) == 1 && over, "epoll_wait");
	return argument;
}

static void *await_semaphore(void *argument)
{
	struct sembuf take = {.sem_op = -1};

	begin("semaphore");
	check(!semop(semaphores, &take, 1) && over, "semop");
	return argument;
}

static void *write_much(void *argument)
{
	static char bytes[BIG];

	begin("write");
	check(write(full[1], bytes, BIG) == BIG && over, "write");
	return argument;
}

static void *receive_all(void *argument)
{
	static char bytes[100];

	begin("receive");
	check(recv(pair[0], bytes, sizeof(bytes), MSG_WAITALL) == sizeof(bytes) && over,
	      "recv");
	return argument;
}

/* Timed ones end in time, and not before. */
static void *await_nothing(void *argument)
{
	struct epoll_event event;
	const int none = epoll_create1(0);

	begin("timed");
	while (!over) {
		const uint64_t since = now_ms();

		check(!epoll_wait(none, &event, 1, 30), "timed epoll_wait");
		check(now_ms() - since >= 29, "too early");
	}
	return argument;
}

static void *compute(void *argument)
{
	begin("compute");
	for (volatile unsigned long i = 0; !over; i++)
		if (i % 4096 == 0)
			usleep(100);
	return argument;
}

static void *live_shortly(void *argument)
{
	return argument;
}

static void *make_threads(void *argument)
{
	pthread_t thread;

	begin("maker");
	while (!over) {
		check(!pthread_create(&thread, NULL, live_shortly, NULL),
		      "pthread_create");
		pthread_join(thread, NULL);
		usleep(200);
	}
	return argument;
}

int main(int argc, char **argv)
{
	static void *(*const works[])(void *) = {await_event, await_semaphore, write_much,
						 receive_all, await_nothing,   compute,
						 make_threads};
	enum { COUNT = sizeof(works) / sizeof(works[0]), QUIET = 4 };
	const int count = argc > 1 && argv[1] ? QUIET : COUNT;
	struct epoll_event event = {.events = EPOLLIN};
	pthread_t threads[COUNT];
	char byte[64];
	ssize_t left = BIG;

	check(!pipe(quiet) && !pipe(full) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair),
	      "pipes");
	events = epoll_create1(0);
	check(!epoll_ctl(events, EPOLL_CTL_ADD, quiet[0], &event), "epoll_ctl");
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	check(semaphores >= 0 && write(pair[1], byte, 10) == 10, "semget");
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, works[i], NULL);
	while (begun < count)
		usleep(1000);
	usleep(20000);
	puts("ready");
	fflush(stdout);
	while (read(0, byte, sizeof(byte)) > 0)
		continue;
	over = 1;
	check(write(quiet[1], "x", 1) == 1 &&
		      write(pair[1], byte, sizeof(byte)) == sizeof(byte) &&
		      write(pair[1], byte, 26) == 26,
	      "ends");
	check(!semop(semaphores, &(struct sembuf){.sem_op = 1}, 1), "semop");
	while (left > 0) {
		static char bytes[BIG];
		const ssize_t got = read(full[0], bytes, sizeof(bytes));

		check(got > 0, "read");
		left -= got;
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	semctl(semaphores, 0, IPC_RMID);
	puts("fine");
	return 0;
}
