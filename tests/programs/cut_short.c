// build: gcc -O2 -lutil
// output: pipe 2, pipe in parts 2, socket 2, socket in parts 2, send 2, sendmsg 2
// output: sendfile 2, terminal 2, recv 2, recvmsg 2, recvmmsg 2, zeros 2, random 2
// output: sendmmsg 2, events 2
/*
 * System calls that take long and complete, though ignored signals arrive all the while;
 * the data that arrives is the data that was sent. With an argument, calls that were cut
 * short are repeated, as programs do that are prepared for that.
 */
#include "lib/signaller.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum {
	SIZE = 1 << 19,
	PIECE = 1 << 14,
	SMALL = 1 << 14,
	ROUNDS = 2,
	VECTORS = 20,
	DATAGRAMS = 12
};

/* The kernel's own: what it keeps for a socket whose recvmmsg was cut short. */
#define ERESTARTSYS 512

static unsigned char sent[SIZE], got[SIZE];
static int ends[2]; /* of what is written to: the reader's, the writer's */
static struct iovec vectors[VECTORS];
static int goes_on;

/* Vectors of many sizes, also of none, that are all of `bytes`. */
static void divide(unsigned char *bytes, size_t size)
{
	size_t at = 0, length = 1;

	for (int i = 0; i < VECTORS; i++) {
		length = i == VECTORS - 1 ? size - at : i % 7 == 3 ? 0 : size * i / 400;
		vectors[i] = (struct iovec){bytes + at, length};
		at += length;
	}
}

static long write_all(void)
{
	return write(ends[1], sent, SIZE);
}

static long write_parts(void)
{
	divide(sent, SIZE);
	return writev(ends[1], vectors, VECTORS);
}

static long send_all(void)
{
	return send(ends[1], sent, SIZE, 0);
}

static long send_message(void)
{
	struct msghdr message = {.msg_iov = vectors, .msg_iovlen = VECTORS};

	divide(sent, SIZE);
	return sendmsg(ends[1], &message, 0);
}

static long send_a_file(void)
{
	FILE *file = tmpfile();
	off_t from = 0;
	long result;

	CHECK(file && fwrite(sent, 1, SIZE, file) == SIZE && !fflush(file));
	result = sendfile(ends[1], fileno(file), &from, SIZE);
	fclose(file);
	CHECK(from == result);
	return result;
}

static long write_terminal(void)
{
	return write(ends[1], sent, SMALL);
}

static long receive(void)
{
	return recv(ends[0], got, SIZE, MSG_WAITALL);
}

static long receive_message(void)
{
	struct msghdr message = {.msg_iov = vectors, .msg_iovlen = VECTORS};

	divide(got, SIZE);
	return recvmsg(ends[0], &message, MSG_WAITALL);
}

static long receive_each(void)
{
	struct mmsghdr messages[DATAGRAMS] = {0};

	for (int i = 0; i < DATAGRAMS; i++) {
		vectors[i] = (struct iovec){got + i, 1};
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	return recvmmsg(ends[0], messages, DATAGRAMS, 0, NULL);
}

static long send_each(void)
{
	struct mmsghdr messages[DATAGRAMS] = {0};
	struct iovec pieces[DATAGRAMS];

	for (int i = 0; i < DATAGRAMS; i++) {
		pieces[i] = (struct iovec){sent + i * PIECE, PIECE};
		messages[i].msg_hdr.msg_iov = &pieces[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	return sendmmsg(ends[1], messages, DATAGRAMS, 0) * PIECE;
}

/* A pipe is ready, and then another one. */
static long await_events(void)
{
	aio_context_t context = 0;
	struct io_event events[2];
	int pipes[2][2];
	long result;
	pid_t writer;

	CHECK(!syscall(SYS_io_setup, 2, &context));
	CHECK(!pipe(pipes[0]) && !pipe(pipes[1]));
	for (int i = 0; i < 2; i++) {
		struct iocb block = {.aio_lio_opcode = IOCB_CMD_POLL,
				     .aio_fildes = (unsigned int)pipes[i][0],
				     .aio_buf = POLLIN};
		struct iocb *blocks = &block;

		CHECK(syscall(SYS_io_submit, context, 1, &blocks) == 1);
	}
	writer = fork();
	if (!writer) {
		for (int i = 0; i < 2; i++) {
			usleep(15000);
			CHECK(write(pipes[i][1], "x", 1) == 1);
		}
		_exit(0);
	}
	result = syscall(SYS_io_getevents, context, 2, 2, events, NULL);
	CHECK(waitpid(writer, NULL, 0) == writer && !syscall(SYS_io_destroy, context));
	for (int i = 0; i < 4; i++)
		close(pipes[i / 2][i % 2]);
	return result;
}

static long read_zeros(void)
{
	int file = open("/dev/zero", O_RDONLY);
	char *bytes = malloc(64 << 20);
	long result = read(file, bytes, 64 << 20);

	free(bytes);
	close(file);
	return result;
}

static long get_random(void)
{
	char *bytes = malloc(4 << 20);
	long result = getrandom(bytes, 4 << 20, 0);

	free(bytes);
	return result;
}

static void open_pipe(void)
{
	CHECK(!pipe(ends));
}

static void open_sockets(void)
{
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static void open_datagrams(void)
{
	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
}

/* Few messages wait to be read. */
static void open_narrow_datagrams(void)
{
	const int size = 4 * PIECE;

	open_datagrams();
	CHECK(!setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)));
}

static void open_terminal(void)
{
	struct termios raw = {0};

	cfmakeraw(&raw);
	CHECK(!openpty(&ends[0], &ends[1], NULL, &raw, NULL));
}

static void open_nothing(void)
{
	ends[0] = ends[1] = -1;
}

/* The other side: reads slowly, and tells whether it was what is sent. */
static void read_slowly(long size)
{
	long at = 0, count;

	close(ends[1]);
	while (at < size && (count = read(ends[0], got, PIECE)) > 0) {
		if (memcmp(got, sent + at, (size_t)count))
			_exit(2);
		at += count;
		usleep(300);
	}
	_exit(at != size);
}

static void write_slowly(long size)
{
	long step = size == DATAGRAMS ? 1 : 1 << 15;

	for (long at = 0; at < size; at += step) {
		usleep(1000);
		if (write(ends[1], sent + at, (size_t)step) != step)
			_exit(1);
	}
	_exit(0);
}

static void do_nothing(long size)
{
	(void)size;
	_exit(0);
}

static const struct kind {
	const char *name;
	void (*open)(void);
	void (*other)(long size);
	long (*call)(void);
	long size;
} kinds[] = {
	{"pipe", open_pipe, read_slowly, write_all, SIZE},
	{"pipe in parts", open_pipe, read_slowly, write_parts, SIZE},
	{"socket", open_sockets, read_slowly, write_all, SIZE},
	{"socket in parts", open_sockets, read_slowly, write_parts, SIZE},
	{"send", open_sockets, read_slowly, send_all, SIZE},
	{"sendmsg", open_sockets, read_slowly, send_message, SIZE},
	{"sendfile", open_sockets, read_slowly, send_a_file, SIZE},
	{"terminal", open_terminal, read_slowly, write_terminal, SMALL},
	{"recv", open_sockets, write_slowly, receive, SIZE},
	{"recvmsg", open_sockets, write_slowly, receive_message, SIZE},
	{"recvmmsg", open_datagrams, write_slowly, receive_each, DATAGRAMS},
	{"zeros", open_nothing, do_nothing, read_zeros, 64 << 20},
	{"random", open_nothing, do_nothing, get_random, 4 << 20},
	{"sendmmsg", open_narrow_datagrams, read_slowly, send_each, DATAGRAMS *PIECE},
	{"events", open_nothing, do_nothing, await_events, 2},
};

/* What is left, in smaller pieces. */
static long go_on(const struct kind *kind, long done)
{
	if (goes_on && kind->other == do_nothing)
		return kind->size;
	while (goes_on && done >= 0 && done < kind->size) {
		long left = kind->size - done, count = left < PIECE ? left : PIECE;

		if (kind->other == read_slowly)
			count = write(ends[1], sent + done, (size_t)count);
		else if (kind->other == write_slowly)
			count = read(ends[0], got + done, (size_t)count);
		if (count < 0 && errno == ERESTARTSYS)
			continue;
		if (count <= 0)
			return done;
		done += count;
	}
	return done;
}

/* Whether the call did all that it was asked. */
static int is_whole(const struct kind *kind)
{
	int status;
	long result;
	pid_t other;

	kind->open();
	memset(got, 0, SIZE);
	other = fork();
	if (!other)
		kind->other(kind->size);
	if (kind->other == read_slowly)
		close(ends[0]);
	result = go_on(kind, kind->call());
	if (kind->other == write_slowly && result == kind->size)
		CHECK(!memcmp(got, sent, (size_t)result));
	close(ends[1]);
	if (kind->other != read_slowly)
		close(ends[0]);
	CHECK(waitpid(other, &status, 0) == other);
	return result == kind->size && WIFEXITED(status) && !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	pid_t signaller;

	(void)argv;
	goes_on = argc > 1;

	for (unsigned int i = 0; i < SIZE; i++)
		sent[i] = (unsigned char)(i * 2654435761u >> 24);
	signal(SIGPIPE, SIG_IGN);
	signaller = start_signaller(1500);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int whole = 0;

		for (int round = 0; round < ROUNDS; round++)
			whole += is_whole(&kinds[i]);
		printf("%s%s %d", i == 0 || i == 6 || i == 13 ? "" : ", ", kinds[i].name,
		       whole);
		if (i == 5 || i == 12)
			printf("\n");
	}
	printf("\n");
	end_signaller(signaller);
	return 0;
}
