/*
 * io: calls that read and write, their bytes and time. Of the C library's streams fread
 * and fwrite are seen, as the program calls them; printf and the like are not.
 */
#include "runtime/channel/paths.h"
#include "runtime/service/loads.h"
#include "runtime/service/wrap.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const struct service_metric metrics[] = {
	{"io.calls", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"io.bytes.read", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"io.bytes.written", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"io.time.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
};

static runtime_local struct {
	uint64_t calls, bytes[2], ticks;
} own_counts;

enum direction { READ, WRITTEN };

/* Notes a call that is over; errno stays. */
static void count(enum direction direction, int64_t bytes, uint64_t began)
{
	own_counts.calls++;
	own_counts.ticks += runtime_ticks() - began;
	if (bytes > 0)
		own_counts.bytes[direction] += (uint64_t)bytes;
	paths_called(PATHS_IO);
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
			count(direction, result, began);                                 \
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
#define SOCKET(direction, name)                                                          \
	DEFINE(direction, name, (int fd, void *bytes, size_t size, int flags),           \
	       (fd, bytes, size, flags))

PLAIN(READ, read)
PLAIN(WRITTEN, write)
PLACED(READ, pread)
PLACED(READ, pread64)
PLACED(WRITTEN, pwrite)
PLACED(WRITTEN, pwrite64)
VECTOR(READ, readv)
VECTOR(WRITTEN, writev)
SOCKET(READ, recv)
SOCKET(WRITTEN, send)

/* Items of a stream. */
#define STREAM(direction, name)                                                          \
	static size_t (*real_##name)(void *items, size_t size, size_t number,            \
				     FILE *file);                                        \
	static size_t wrap_##name(void *items, size_t size, size_t number, FILE *file)   \
	{                                                                                \
		uint64_t began = runtime_ticks();                                        \
		size_t result = real_##name(items, size, number, file);                  \
                                                                                         \
		if (!runtime_busy)                                                       \
			count(direction, (int64_t)(result * size), began);               \
		return result;                                                           \
	}

STREAM(READ, fread)
STREAM(WRITTEN, fwrite)

#define WRAP(function)                                                                   \
	{                                                                                \
#function, (void *)wrap_##function, (void **)&real_##function            \
	}
static const struct wrap wraps[] = {
	WRAP(read),   WRAP(write),    WRAP(pread), WRAP(pread64),
	WRAP(pwrite), WRAP(pwrite64), WRAP(readv), WRAP(writev),
	WRAP(recv),   WRAP(send),     WRAP(fread), WRAP(fwrite),
};

static const char *start(struct channel *channel)
{
	channel->timed = true;
	wrap_install(wraps, sizeof(wraps) / sizeof(wraps[0]));
	loads_watch();
	return NULL;
}

static void sample(struct channel_thread *own, const struct runtime_event *event,
		   uint64_t *ret_values)
{
	(void)own;
	(void)event;
	ret_values[0] = own_counts.calls;
	ret_values[1] = own_counts.bytes[READ];
	ret_values[2] = own_counts.bytes[WRITTEN];
	ret_values[3] = own_counts.ticks;
}

const struct service service_io = {
	.name = "io",
	.about = "calls that read and write: how many, bytes, time",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = start,
	.sample = sample,
};
