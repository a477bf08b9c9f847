/* memstat: memory of the process, from /proc/self/statm (proc(5)). */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/store/lock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct service_metric metrics[] = {
	{"memstat.vmsize", SERVICE_GAUGE, TRM_TYPE_UINT, false},
	{"memstat.vmrss", SERVICE_GAUGE, TRM_TYPE_UINT, false},
	{"memstat.data", SERVICE_GAUGE, TRM_TYPE_UINT, false},
};

/* Kilobytes a page. */
static uint64_t page_kb;

static const char *memstat_start(struct channel *channel)
{
	(void)channel;
	page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	return access("/proc/self/statm", R_OK) ? "/proc/self/statm cannot be read"
						: NULL;
}

/* The file is opened each time: a descriptor of ours might be closed by the program. */
static size_t read_statm(char *text, size_t size)
{
	int fd = runtime_sealed ? -1 : open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	return length > 0 ? (size_t)length : 0;
}

static void memstat_sample(struct channel_thread *own, const struct runtime_event *event,
			   uint64_t *ret_values)
{
	/* size resident shared text lib data: data is the sixth. */
	static const int place[] = {0, 1, -1, -1, -1, 2};
	char text[256];
	size_t length = read_statm(text, sizeof(text)), at = 0;

	(void)own;
	(void)event;
	ret_values[0] = ret_values[1] = ret_values[2] = 0;
	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]) && at < length;
	     i++, at++) {
		uint64_t pages = 0;

		for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
			pages = 10 * pages + (uint64_t)(text[at] - '0');
		if (place[i] >= 0)
			ret_values[place[i]] = pages * page_kb;
	}
}

const struct service service_memstat = {
	.name = "memstat",
	.about = "virtual and resident kilobytes of the process; system calls at each "
		 "event",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = memstat_start,
	.sample = memstat_sample,
};
