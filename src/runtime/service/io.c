/*
 * io: calls that read and write, their bytes and time. Of the C library's streams fread
 * and fwrite are seen, as the program calls them; printf and the like are not.
 */
#include "runtime/channel/internal.h"
#include "runtime/channel/paths.h"
#include "runtime/service/io_place.h"
#include "runtime/service/loads.h"
#include "runtime/service/wrap.h"

#include <errno.h>
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

/* Of records of calls, in channels that trace. */
enum { PLACE_MOUNT, PLACE_FILESYSTEM, PLACE_REGION, PLACES };
static const char *const place_names[PLACES] = {"io.mount.point", "io.filesystem",
						"io.region"};
static trm_attribute place_attributes[PLACES];

static size_t find_traced(struct channel **ret_channels)
{
	size_t count = 0;

	for (uint32_t active = channels.active; active; active &= active - 1) {
		struct channel *channel = channels.items[__builtin_ctz(active)];

		if (channel && channel->calls_of_io && channel->traces)
			ret_channels[count++] = channel;
	}
	return count;
}

/* A snapshot of the call, as LLNL's Caliper has it. */
static __attribute__((noinline)) void tell(enum direction direction, int fd)
{
	struct channel *traced[CHANNELS_MAX];
	size_t count = find_traced(traced);
	struct trm_value values[PLACES];
	struct io_place place;
	int saved = errno;

	/* What is read of mounts is no call of the program's. */
	if (!count || !events_enter())
		return;
	io_place_of(fd, &place);
	events_leave();
	const char *const texts[PLACES] = {place.mount, place.filesystem,
					   direction == READ ? "read" : "write"};

	for (int i = 0; i < PLACES; i++)
		values[i] = trm_value_string(texts[i]);
	channels_give(traced, count,
		      &(struct given_values){place_attributes, values, PLACES});
	errno = saved;
}

/* Notes a call that is over; errno stays. */
static void count(enum direction direction, int64_t bytes, uint64_t began, int fd)
{
	own_counts.calls++;
	own_counts.ticks += runtime_ticks() - began;
	if (bytes > 0)
		own_counts.bytes[direction] += (uint64_t)bytes;
	paths_called(PATHS_IO);
	if (bytes > 0)
		tell(direction, fd);
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
			count(direction, result, began, fd);                             \
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
			count(direction, (int64_t)(result * size), began,                \
			      fileno_unlocked(file));                                    \
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
	for (int i = 0; i < PLACES; i++)
		place_attributes[i] = attributes_create(place_names[i], TRM_TYPE_STRING,
							TRM_SKIP_EVENTS);
	channel->calls_of_io = true;
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
