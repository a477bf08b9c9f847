/*
 * cpuinfo: the processor and the NUMA node where the thread was at the snapshot. Linux
 * keeps both where RDTSCP finds them: node << 12 | processor (Intel SDM vol. 2, RDTSCP;
 * arch/x86/include/asm/segment.h); no system call is made.
 */
#include "runtime/channel/channel.h"

#include <cpuid.h>

static const struct service_metric metrics[] = {
	{"cpuinfo.cpu", SERVICE_KEY, TRM_TYPE_INT, false},
	{"cpuinfo.numa_node", SERVICE_KEY, TRM_TYPE_INT, false},
};

static const char *start(struct channel *channel)
{
	unsigned a, b, c, d;

	(void)channel;
	return __get_cpuid(0x80000001, &a, &b, &c, &d) && d & 1u << 27
		       ? NULL
		       : "the processor has no RDTSCP";
}

static void sample(struct channel_thread *own, const struct runtime_event *event,
		   uint64_t *ret_values)
{
	unsigned place;

	(void)own;
	(void)event;
	__rdtscp(&place);
	ret_values[0] = place & 0xfff;
	ret_values[1] = place >> 12;
}

const struct service service_cpuinfo = {
	.name = "cpuinfo",
	.about = "tells contexts apart by processor and NUMA node",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = start,
	.sample = sample,
};
