/*
 * Threads that each do one thing, known by their names. A line tells of each what it
 * does:
 *
 *     = NAME STATE WHAT FUNCTION...
 *
 * where WHAT is a regular expression for what it waits for ("-": nothing), and the
 * functions are on its stack, the outermost first. `states` alone stays; `states N` ends
 * after N ms.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACE __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER,
		       other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static pthread_t joined;
static volatile int ready, done;
static char word;

PLACE void hold(void)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	ready = 1;
	for (;;)
		sleep(1000);
}

PLACE void want(void)
{
	while (!ready)
		usleep(1000);
	pthread_mutex_lock(&mutex);
	done = 1;
}

PLACE void want_to_read(void)
{
	while (!ready)
		usleep(1000);
	pthread_rwlock_rdlock(&rwlock);
	done = 1;
}

PLACE void wait_for_condition(void)
{
	pthread_mutex_lock(&other);
	for (;;)
		pthread_cond_wait(&condition, &other);
}

PLACE void wait_at_barrier(void)
{
	pthread_barrier_wait(&barrier);
	done = 1;
}

PLACE void wait_for_semaphore(void)
{
	while (sem_wait(&semaphore))
		;
	done = 1;
}

PLACE void read_pipe(void)
{
	int ends[2];

	if (pipe(ends) || read(ends[0], &word, 1) < 0)
		done = 1;
	done = 1;
}

PLACE void accept_one(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in any = {.sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	bind(fd, (struct sockaddr *)&any, sizeof(any));
	listen(fd, 1);
	accept(fd, NULL, NULL);
	done = 1;
}

/* What it is connected to is in the name. */
PLACE void receive(void)
{
	int listening = socket(AF_INET, SOCK_STREAM, 0),
	    fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in any = {.sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(any);

	bind(listening, (struct sockaddr *)&any, sizeof(any));
	listen(listening, 1);
	getsockname(listening, (struct sockaddr *)&any, &size);
	connect(fd, (struct sockaddr *)&any, sizeof(any));
	recv(fd, &word, 1, 0);
	done = 1;
}

PLACE void receive_locally(void)
{
	int ends[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	recv(ends[0], &word, 1, 0);
	done = 1;
}

PLACE void poll_two(void)
{
	int ends[2];

	if (pipe(ends))
		return;
	struct pollfd polled[] = {{.fd = ends[0], .events = POLLIN},
				  {.fd = eventfd(0, 0), .events = POLLIN}};

	poll(polled, 2, -1);
	done = 1;
}

PLACE void select_one(void)
{
	fd_set set;
	int fd = eventfd(0, 0);

	FD_ZERO(&set);
	FD_SET(fd, &set);
	select(fd + 1, &set, NULL, NULL, NULL);
	done = 1;
}

PLACE void wait_for_events(void)
{
	int fd = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(fd, EPOLL_CTL_ADD, timerfd_create(CLOCK_MONOTONIC, 0), &event);
	epoll_wait(fd, &event, 1, -1);
	done = 1;
}

PLACE void read_event(void)
{
	uint64_t number;

	if (read(eventfd(0, 0), &number, sizeof(number)) < 0)
		done = 1;
	done = 1;
}

PLACE void read_timer(void)
{
	uint64_t number;

	if (read(timerfd_create(CLOCK_MONOTONIC, 0), &number, sizeof(number)) < 0)
		done = 1;
	done = 1;
}

PLACE void read_changes(void)
{
	char bytes[4096];
	int fd = inotify_init();

	inotify_add_watch(fd, "/", IN_DELETE_SELF);
	if (read(fd, bytes, sizeof(bytes)) < 0)
		done = 1;
	done = 1;
}

PLACE void lock_file(void)
{
	char name[] = "/tmp/trammel-states-XXXXXX";
	int fd = mkstemp(name), again = open(name, O_RDWR);

	unlink(name);
	flock(fd, LOCK_EX);
	flock(again, LOCK_EX);
	done = 1;
}

PLACE void wait_for_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			poll(NULL, 0, 100);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	done = 1;
}

PLACE void wait_for_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &number);
	done = 1;
}

PLACE void join_one(void)
{
	pthread_join(joined, NULL);
	done = 1;
}

/* The frame's size is not known before it runs. */
PLACE void sleep_deep(int depth)
{
	volatile char bytes[16 + depth * 48];

	bytes[0] = 1;
	if (depth)
		sleep_deep(depth - 1);
	else
		sleep(1000);
	bytes[depth] = 2;
}

PLACE void sleep_somewhere(void)
{
	sleep_deep(5);
	done = 1;
}

PLACE void burn(void)
{
	for (volatile unsigned long i = 0;; i++)
		;
}

/* sleeper: its beginning is that of all of them. */
static const struct row {
	const char *name, *state, *what, *functions;
	void (*act)(void);
} rows[] = {
	{"holder", "waiting", "sleep", "begin hold", hold},
	{"wanting", "blocked", "mutex 0x[0-9a-f]+ held by thread [0-9]+", "begin want",
	 want},
	{"reading", "waiting", "read-write lock 0x[0-9a-f]+", "begin want_to_read",
	 want_to_read},
	{"condition", "waiting", "condition 0x[0-9a-f]+", "begin wait_for_condition",
	 wait_for_condition},
	{"barrier", "waiting", "barrier 0x[0-9a-f]+", "begin wait_at_barrier",
	 wait_at_barrier},
	{"semaphore", "waiting", "semaphore 0x[0-9a-f]+", "begin wait_for_semaphore",
	 wait_for_semaphore},
	{"pipe", "waiting", "pipe [(]fd [0-9]+[)]", "begin read_pipe", read_pipe},
	{"accept", "waiting", "socket listening on 127.0.0.1:[0-9]+", "begin accept_one",
	 accept_one},
	{"receive", "waiting", "socket 127.0.0.1:[0-9]+", "begin receive", receive},
	{"local", "waiting", "socket unix [(]fd [0-9]+[)]", "begin receive_locally",
	 receive_locally},
	{"poll", "waiting", "poll of pipe [(]fd [0-9]+[)], eventfd [(]fd [0-9]+[)]",
	 "begin poll_two", poll_two},
	{"select", "waiting", "select of eventfd [(]fd [0-9]+[)]", "begin select_one",
	 select_one},
	{"epoll", "waiting", "epoll of timerfd [(]fd [0-9]+[)]", "begin wait_for_events",
	 wait_for_events},
	{"eventfd", "waiting", "eventfd [(]fd [0-9]+[)]", "begin read_event", read_event},
	{"timerfd", "waiting", "timerfd [(]fd [0-9]+[)]", "begin read_timer", read_timer},
	{"inotify", "waiting", "inotify [(]fd [0-9]+[)]", "begin read_changes",
	 read_changes},
	{"flock", "waiting", "lock of file .*", "begin lock_file", lock_file},
	{"child", "waiting", "child [0-9]+", "begin wait_for_child", wait_for_child},
	{"signal", "waiting", "signal", "begin wait_for_signal", wait_for_signal},
	{"join", "waiting", "thread [0-9]+", "begin join_one", join_one},
	{"deep", "waiting", "sleep",
	 "begin sleep_somewhere sleep_deep sleep_deep sleep_deep", sleep_somewhere},
	{"burn", "running", "-", "begin burn", burn},
};

PLACE void *begin(void *argument)
{
	const struct row *row = argument;

	prctl(PR_SET_NAME, row->name);
	row->act();
	return (void *)row;
}

int main(int argc, char **argv)
{
	const int ms = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pthread_create(&thread, NULL, begin, (void *)&rows[i]);
		if (!i)
			joined = thread;
		printf("= %s %s %s\t%s\n", rows[i].name, rows[i].state, rows[i].what,
		       rows[i].functions);
	}
	/* All are there by then, or some later: who looks tries again. */
	usleep(200000);
	printf("ready\n");
	fflush(stdout);
	if (ms)
		usleep((useconds_t)ms * 1000);
	while (!ms)
		pause();
	_exit(0);
}
