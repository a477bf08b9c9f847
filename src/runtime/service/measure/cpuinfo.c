/*
 * cpuinfo: the processor and the NUMA node where the thread was at the snapshot. Linux
 * keeps both where RDTSCP finds them: node << 12 | processor (Intel SDM vol. 2, RDTSCP;
 * arch/x86/include/asm/segment.h). Virtual machines may hide the instruction: there it is
 * a system call, getcpu(2).
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct service_metric metrics[] = {
	{"cpuinfo.cpu", SERVICE_KEY, TRM_TYPE_INT, false},
	{"cpuinfo.numa_node", SERVICE_KEY, TRM_TYPE_INT, false},
};

static bool has_rdtscp;

static const char *cpuinfo_start(struct channel *channel)
{
	unsigned a, b, c, d;

	(void)channel;
	has_rdtscp = __get_cpuid(0x80000001, &a, &b, &c, &d) && d & 1u << 27;
	return NULL;
}

static void cpuinfo_sample(struct channel_thread *own, const struct runtime_event *event,
			   uint64_t *ret_values)
{
	unsigned place = 0, node = 0;

	(void)own;
	(void)event;
	if (has_rdtscp) {
		__rdtscp(&place);
		node = place >> 12;
		place &= 0xfff;
	} else {
		syscall(SYS_getcpu, &place, &node, NULL);
	}
	ret_values[0] = place;
	ret_values[1] = node;
}

const struct service service_cpuinfo = {
	.name = "cpuinfo",
	.about = "tells contexts apart by processor and NUMA node",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = cpuinfo_start,
	.sample = cpuinfo_sample,
};
