// build: gcc -O2
// output: epoll_wait 0, epoll_pwait 0, epoll_pwait2 0, sigtimedwait 11, semtimedop 11
// output: recv 11, recvmsg 11, read 11, accept 11, send 11, poll 0, select 0, ring 62
/*
 * Calls that wait for a time, though signals that are ignored come all the while: they
 * end when it has passed, and not before.
 */
#include "lib/signaller.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 60, FAR_TOO_LONG_MS = 20 * WAIT_MS };

static const struct timespec wait_time = {.tv_nsec = WAIT_MS * 1000000};
static int events, quiet[2], full[2], listener, semaphore;
static struct epoll_event event;

static long wait_events(void)
{
	return epoll_wait(events, &event, 1, WAIT_MS);
}

static long wait_events_masked(void)
{
	sigset_t mask;

	sigfillset(&mask);
	return epoll_pwait(events, &event, 1, WAIT_MS, &mask);
}

static long wait_events_exactly(void)
{
	long result = syscall(SYS_epoll_pwait2, events, &event, 1, &wait_time, NULL, 8);

	/* Of Linux 5.11. */
	return result < 0 && errno == ENOSYS ? wait_events() : result;
}

static long wait_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &wait_time);
}

static long wait_semaphore(void)
{
	struct sembuf take = {.sem_op = -1};

	return semtimedop(semaphore, &take, 1, &wait_time);
}

static long receive(void)
{
	char byte;

	return recv(quiet[0], &byte, 1, 0);
}

static long receive_message(void)
{
	char byte;
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

	return recvmsg(quiet[0], &message, 0);
}

static long read_byte(void)
{
	char byte;

	return read(quiet[0], &byte, 1);
}

static long accept_one(void)
{
	return accept(listener, NULL, NULL);
}

static long send_byte(void)
{
	return send(full[0], "x", 1, 0);
}

static long poll_none(void)
{
	struct pollfd entry = {quiet[0], POLLIN, 0};

	return poll(&entry, 1, WAIT_MS);
}

static long select_none(void)
{
	struct timeval time = {.tv_usec = WAIT_MS * 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(quiet[0], &set);
	return select(quiet[0] + 1, &set, NULL, NULL, &time);
}

/* Of Linux 5.11, and where it is allowed. */
static long wait_ring(void)
{
	char parameters[120] = {0};
	struct {
		uint64_t mask;
		uint32_t mask_size, least;
		const struct timespec *time;
	} wait = {.time = &wait_time};
	int ring = (int)syscall(SYS_io_uring_setup, 4, parameters);
	long result;

	if (ring < 0) {
		usleep(WAIT_MS * 1000);
		errno = ETIME;
		return -1;
	}
	result = syscall(SYS_io_uring_enter, ring, 0, 1, 1 | 8, &wait, sizeof(wait));
	close(ring);
	return result;
}

static const struct {
	const char *name;
	long (*call)(void);
} waits[] = {
	{"epoll_wait", wait_events},
	{"epoll_pwait", wait_events_masked},
	{"epoll_pwait2", wait_events_exactly},
	{"sigtimedwait", wait_signal},
	{"semtimedop", wait_semaphore},
	{"recv", receive},
	{"recvmsg", receive_message},
	{"read", read_byte},
	{"accept", accept_one},
	{"send", send_byte},
	{"poll", poll_none},
	{"select", select_none},
	{"ring", wait_ring},
};

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void open_all(void)
{
	const struct timeval time = {.tv_usec = WAIT_MS * 1000};
	struct sockaddr_un any = {.sun_family = AF_UNIX};
	char bytes[4096] = {0};

	CHECK((events = epoll_create1(0)) >= 0);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, quiet));
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, full));
	CHECK(!epoll_ctl(events, EPOLL_CTL_ADD, quiet[0], &event));
	CHECK(!setsockopt(quiet[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)));
	CHECK(!setsockopt(full[0], SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)));
	while (send(full[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	while (send(full[0], bytes, 1, MSG_DONTWAIT) > 0)
		;
	CHECK((listener = socket(AF_UNIX, SOCK_STREAM, 0)) >= 0);
	/* A name of its own, that the kernel chooses. */
	CHECK(!bind(listener, (struct sockaddr *)&any, sizeof(any.sun_family)));
	CHECK(!listen(listener, 1));
	CHECK(!setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)));
	CHECK((semaphore = semget(IPC_PRIVATE, 1, 0600)) >= 0);
}

int main(void)
{
	pid_t signaller;

	event.events = EPOLLIN;
	open_all();
	/* Where nothing ends a wait, this does. */
	alarm(20);
	signaller = start_signaller(7000);
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		long start = now_ms(), passed, result;

		errno = 0;
		result = waits[i].call();
		passed = now_ms() - start;
		CHECK(result == (errno ? -1 : 0));
		printf("%s%s %d", i == 0 || i == 5 ? "" : ", ", waits[i].name, errno);
		if (i == 4)
			printf("\n");
		if (passed < WAIT_MS - 1 || passed > FAR_TOO_LONG_MS)
			printf(" after %ld ms", passed);
	}
	printf("\n");
	CHECK(!semctl(semaphore, 0, IPC_RMID));
	end_signaller(signaller);
	return 0;
}
