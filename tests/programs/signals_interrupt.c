// build: gcc -O2
// output: interrupted 1, restarted 1, slept short 1, waited 1, polled 1, stopped 1
/* System calls that signals interrupt: EINTR, SA_RESTART, the rest of a sleep,
 * sigtimedwait; and a stop (signal(7)). */
#include "lib/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int handled;

static void handle(int number)
{
	(void)number;
	handled++;
}

static void set(int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};

	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	handled = 0;
}

/* The call in which a process waits; -1: it does not, or nobody says. */
static long waits_in(pid_t pid)
{
	char path[64];
	long number = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%ld", &number) != 1)
		number = -1; /* "running" */
	if (file)
		fclose(file);
	return number;
}

/* A child that sends us a signal, and another one if that is not 0, once we wait in a
 * call, and writes a byte 30 ms after that. */
static pid_t sender(long call, int pipe_end, int number, int second)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	while (getppid() == parent && waits_in(parent) != call)
		usleep(1000);
	kill(parent, number);
	usleep(30000);
	if (second)
		kill(parent, second);
	usleep(second ? 30000 : 0);
	_exit(write(pipe_end, "x", 1) != 1);
}

static pid_t signaller(long call, int pipe_end)
{
	return sender(call, pipe_end, SIGUSR1, 0);
}

/* epoll_wait gives up when its process is stopped. */
static int is_stopped(const int ends[2])
{
	struct epoll_event event = {.events = EPOLLIN};
	int events = epoll_create1(0), result;

	CHECK(!epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event));
	sender(SYS_epoll_wait, ends[1], SIGSTOP, SIGCONT);
	result = epoll_wait(events, &event, 1, 10000) == -1 && errno == EINTR;
	close(events);
	return result;
}

static void reap(pid_t child, int pipe_end)
{
	char byte;
	int status;

	while (waitpid(child, &status, 0) < 0)
		CHECK(errno == EINTR);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	if (pipe_end >= 0)
		CHECK(read(pipe_end, &byte, 1) == 1);
}

int main(void)
{
	struct timespec wait = {.tv_sec = 10}, rest = {0};
	int interrupted, restarted, slept, waited, polled, stopped, ends[2];
	struct pollfd entry;
	siginfo_t info;
	sigset_t signals;
	pid_t child;
	char byte;

	CHECK(pipe(ends) == 0);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* the child looks at us */
	set(0);
	child = signaller(SYS_read, ends[1]);
	interrupted = read(ends[0], &byte, 1) == -1 && errno == EINTR && handled == 1;
	reap(child, interrupted ? ends[0] : -1);
	set(SA_RESTART);
	child = signaller(SYS_read, ends[1]);
	restarted = read(ends[0], &byte, 1) == 1 && handled == 1;
	reap(child, -1);
	child = signaller(SYS_clock_nanosleep, ends[1]);
	slept = nanosleep(&wait, &rest) == -1 && errno == EINTR && rest.tv_nsec > 0;
	reap(child, ends[0]);
	child = signaller(SYS_poll, ends[1]);
	entry = (struct pollfd){.fd = ends[0], .events = POLLOUT};
	polled = poll(&entry, 1, 10000) == -1 && errno == EINTR;
	reap(child, ends[0]);
	stopped = is_stopped(ends);
	reap(-1, ends[0]);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	child = signaller(SYS_rt_sigtimedwait, ends[1]);
	waited = sigwaitinfo(&signals, &info) == SIGUSR1 && info.si_pid == child &&
		 info.si_code == SI_USER;
	reap(child, ends[0]);
	printf("interrupted %d, restarted %d, slept short %d, waited %d, polled %d, "
	       "stopped %d\n",
	       interrupted, restarted, slept, waited, polled, stopped);
	return 0;
}
