// build: gcc -O2
// output: interrupted 1, restarted 1, slept short 1, waited 1, polled 1
/* System calls that signals interrupt: EINTR, SA_RESTART, the rest of a sleep,
 * sigtimedwait. */
#include "lib/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
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

/* Whether a process waits in a system call, and is not stopped by who traces it. */
static bool waits(pid_t pid)
{
	char path[64], line[512], state = 0;
	const char *behind_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file) && (behind_name = strrchr(line, ')')))
		state = behind_name[2];
	if (file)
		fclose(file);
	return state == 'S';
}

/* A child that signals us as soon as we wait, and writes a byte 30 ms after that. */
static pid_t signaller(int pipe_end)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	while (getppid() == parent && !waits(parent))
		usleep(1000);
	kill(parent, SIGUSR1);
	usleep(30000);
	_exit(write(pipe_end, "x", 1) != 1);
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
	int interrupted, restarted, slept, waited, polled, ends[2];
	struct pollfd entry;
	siginfo_t info;
	sigset_t signals;
	pid_t child;
	char byte;

	CHECK(pipe(ends) == 0);
	set(0);
	child = signaller(ends[1]);
	interrupted = read(ends[0], &byte, 1) == -1 && errno == EINTR && handled == 1;
	reap(child, ends[0]);
	set(SA_RESTART);
	child = signaller(ends[1]);
	restarted = read(ends[0], &byte, 1) == 1 && handled == 1;
	reap(child, -1);
	child = signaller(ends[1]);
	slept = nanosleep(&wait, &rest) == -1 && errno == EINTR && rest.tv_nsec > 0;
	reap(child, ends[0]);
	child = signaller(ends[1]);
	entry = (struct pollfd){.fd = ends[0], .events = POLLOUT};
	polled = poll(&entry, 1, 10000) == -1 && errno == EINTR;
	reap(child, ends[0]);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	child = signaller(ends[1]);
	waited = sigwaitinfo(&signals, &info) == SIGUSR1 && info.si_pid == child &&
		 info.si_code == SI_USER;
	reap(child, ends[0]);
	printf("interrupted %d, restarted %d, slept short %d, waited %d, polled %d\n",
	       interrupted, restarted, slept, waited, polled);
	return 0;
}
