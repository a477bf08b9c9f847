/*
 * io: calls that read and write, their bytes and time. Of the C library's streams fread
 * and fwrite are seen, as the program calls them; printf and the like are not.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/service/calls/calls.h"
#include "runtime/service/calls/io_place.h"
#include "runtime/store/attributes.h"
#include "runtime/store/state.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const struct service_metric metrics[] = {
	{"io.calls", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"io.bytes.read", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"io.bytes.written", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"io.time.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
	{"io.opens", SERVICE_DELTA, TRM_TYPE_UINT, false},
};

static runtime_local struct {
	uint64_t calls, bytes[2], ticks, opens;
} own_counts;

enum direction { READ, WRITTEN };

/* Of records of calls, in channels that trace. */
enum { PLACE_MOUNT, PLACE_FILESYSTEM, PLACE_REGION, PLACE_FILE, PLACES };
static const char *const place_names[PLACES] = {"io.mount.point", "io.filesystem",
						"io.region", "io.file"};
static trm_attribute place_attributes[PLACES];
_Static_assert((int)PLACES <= (int)CALLS_TEXTS_MAX, "calls_tell takes them all");

/* A snapshot of the call, as LLNL's Caliper has it, and its file. */
static __attribute__((noinline)) void io_tell(enum direction direction, int fd)
{
	struct calls_wanted wanted;
	struct io_place place;

	/* What is read of mounts is no call of the program's. */
	if (!calls_begin(CHANNEL_CALLS_IO, &wanted))
		return;
	io_place_of(fd, &place);
	calls_tell(&wanted, place_attributes,
		   (const char *const[PLACES]){place.mount, place.filesystem,
					       direction == READ ? "read" : "write",
					       place.file},
		   PLACES);
}

/* Notes a call that is over; errno stays. */
static void io_count(enum direction direction, int64_t bytes, uint64_t began, int fd)
{
	own_counts.calls++;
	own_counts.ticks += runtime_ticks() - began;
	if (bytes > 0)
		own_counts.bytes[direction] += (uint64_t)bytes;
	paths_called(PATHS_IO);
	if (bytes > 0)
		io_tell(direction, fd);
}

/* A function that returns bytes, or -1. */
#define DEFINE(direction, name, parameters, arguments)                                   \
	static ssize_t(*real_##name) parameters;                                         \
	static ssize_t wrap_##name parameters                                            \
	{                                                                                \
		uint64_t began = runtime_ticks();                                        \
		ssize_t result = real_##name arguments;                                  \
                                                                                         \
		if (!runtime_busy)                                                       \
			io_count(direction, result, began, fd);                          \
		return result;                                                           \
	}

#define PLAIN(direction, name)                                                           \
	DEFINE(direction, name, (int fd, void *bytes, size_t size), (fd, bytes, size))
#define PLACED(direction, name)                                                          \
	DEFINE(direction, name, (int fd, void *bytes, size_t size, off_t at),            \
	       (fd, bytes, size, at))
#define VECTOR(direction, name)                                                          \
	DEFINE(direction, name, (int fd, const struct iovec *parts, int parts_count),    \
	       (fd, parts, parts_count))
#define PLACED_VECTOR(direction, name)                                                   \
	DEFINE(direction, name,                                                          \
	       (int fd, const struct iovec *parts, int parts_count, off_t at),           \
	       (fd, parts, parts_count, at))
#define SOCKET(direction, name)                                                          \
	DEFINE(direction, name, (int fd, void *bytes, size_t size, int flags),           \
	       (fd, bytes, size, flags))

#define MESSAGE(direction, name)                                                         \
	DEFINE(direction, name, (int fd, struct msghdr *message, int flags),             \
	       (fd, message, flags))

PLAIN(READ, read)
PLAIN(WRITTEN, write)
PLACED(READ, pread)
PLACED(READ, pread64)
PLACED(WRITTEN, pwrite)
PLACED(WRITTEN, pwrite64)
VECTOR(READ, readv)
VECTOR(WRITTEN, writev)
PLACED_VECTOR(READ, preadv)
PLACED_VECTOR(READ, preadv64)
PLACED_VECTOR(WRITTEN, pwritev)
PLACED_VECTOR(WRITTEN, pwritev64)
SOCKET(READ, recv)
SOCKET(WRITTEN, send)
DEFINE(READ, recvfrom,
       (int fd, void *bytes, size_t size, int flags, struct sockaddr *from,
	socklen_t *from_size),
       (fd, bytes, size, flags, from, from_size))
DEFINE(WRITTEN, sendto,
       (int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to,
	socklen_t to_size),
       (fd, bytes, size, flags, to, to_size))
MESSAGE(READ, recvmsg)
MESSAGE(WRITTEN, sendmsg)

/* What programs call that were built with -D_FORTIFY_SOURCE. */
DEFINE(READ, __read_chk, (int fd, void *bytes, size_t size, size_t room),
       (fd, bytes, size, room))
DEFINE(READ, __pread_chk, (int fd, void *bytes, size_t size, off_t at, size_t room),
       (fd, bytes, size, at, room))
DEFINE(READ, __pread64_chk, (int fd, void *bytes, size_t size, off_t at, size_t room),
       (fd, bytes, size, at, room))
DEFINE(READ, __recv_chk, (int fd, void *bytes, size_t size, size_t room, int flags),
       (fd, bytes, size, room, flags))
DEFINE(READ, __recvfrom_chk,
       (int fd, void *bytes, size_t size, size_t room, int flags, struct sockaddr *from,
	socklen_t *from_size),
       (fd, bytes, size, room, flags, from, from_size))

/* Items of a stream. */
#define STREAM(direction, name, parameters, arguments)                                   \
	static size_t(*real_##name) parameters;                                          \
	static size_t wrap_##name parameters                                             \
	{                                                                                \
		uint64_t began = runtime_ticks();                                        \
		size_t result = real_##name arguments;                                   \
                                                                                         \
		if (!runtime_busy)                                                       \
			io_count(direction, (int64_t)(result * size), began,             \
				 fileno_unlocked(file));                                 \
		return result;                                                           \
	}

STREAM(READ, fread, (void *items, size_t size, size_t number, FILE *file),
       (items, size, number, file))
STREAM(WRITTEN, fwrite, (void *items, size_t size, size_t number, FILE *file),
       (items, size, number, file))
STREAM(READ, __fread_chk,
       (void *items, size_t room, size_t size, size_t number, FILE *file),
       (items, room, size, number, file))

/* A function that opens a file. The mode, where there is one, is passed on in any case:
 * by the ABI that does no harm. */
#define OPEN(type, name, parameters, arguments, failed)                                  \
	static type(*real_##name) parameters;                                            \
	static type wrap_##name parameters                                               \
	{                                                                                \
		type result = real_##name arguments;                                     \
                                                                                         \
		own_counts.opens += !runtime_busy && result != (failed);                 \
		return result;                                                           \
	}
#define OPEN_PATH(name)                                                                  \
	OPEN(int, name, (const char *path, int flags, int mode), (path, flags, mode), -1)
#define OPEN_AT(name)                                                                    \
	OPEN(int, name, (int folder, const char *path, int flags, int mode),             \
	     (folder, path, flags, mode), -1)
#define OPEN_STREAM(name)                                                                \
	OPEN(FILE *, name, (const char *path, const char *mode), (path, mode), NULL)

OPEN_PATH(open)
OPEN_PATH(open64)
OPEN_PATH(__open_2)
OPEN_PATH(__open64_2)
OPEN_PATH(creat)
OPEN_PATH(creat64)
OPEN_AT(openat)
OPEN_AT(openat64)
OPEN_AT(__openat_2)
OPEN_AT(__openat64_2)
OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)

static const struct wrap wraps[] = {
	WRAP(read),        WRAP(write),          WRAP(pread),         WRAP(pread64),
	WRAP(pwrite),      WRAP(pwrite64),       WRAP(readv),         WRAP(writev),
	WRAP(preadv),      WRAP(preadv64),       WRAP(pwritev),       WRAP(pwritev64),
	WRAP(recv),        WRAP(send),           WRAP(recvfrom),      WRAP(sendto),
	WRAP(recvmsg),     WRAP(sendmsg),        WRAP(fread),         WRAP(fwrite),
	WRAP(__read_chk),  WRAP(__pread_chk),    WRAP(__pread64_chk), WRAP(__recv_chk),
	WRAP(__fread_chk), WRAP(__recvfrom_chk), WRAP(open),          WRAP(open64),
	WRAP(__open_2),    WRAP(__open64_2),     WRAP(creat),         WRAP(creat64),
	WRAP(openat),      WRAP(openat64),       WRAP(__openat_2),    WRAP(__openat64_2),
	WRAP(fopen),       WRAP(fopen64),
};

static const char *io_start(struct channel *channel)
{
	for (int i = 0; i < PLACES; i++)
		place_attributes[i] = attributes_create(place_names[i], TRM_TYPE_STRING,
							TRM_SKIP_EVENTS);
	channel->calls_seen |= CHANNEL_CALLS_IO;
	channel->timed = true;
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return NULL;
}

static void io_sample(struct channel_thread *own, const struct runtime_event *event,
		      uint64_t *ret_values)
{
	(void)own;
	(void)event;
	ret_values[0] = own_counts.calls;
	ret_values[1] = own_counts.bytes[READ];
	ret_values[2] = own_counts.bytes[WRITTEN];
	ret_values[3] = own_counts.ticks;
	ret_values[4] = own_counts.opens;
}

const struct service service_io = {
	.name = "io",
	.about = "calls that read and write: how many, bytes, time; files that were "
		 "opened",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = io_start,
	.sample = io_sample,
};
