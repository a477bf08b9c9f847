/*
 * cpuinfo: the processor and the NUMA node where the thread was at the snapshot, by
 * getcpu(2), which the kernel's vDSO answers without a system call, and on processors
 * (and in virtual machines) without RDTSCP, too.
 */
#include "runtime/channel/channel.h"

#include <sched.h>

static const struct service_metric metrics[] = {
	{"cpuinfo.cpu", SERVICE_KEY, TRM_TYPE_INT, false},
	{"cpuinfo.numa_node", SERVICE_KEY, TRM_TYPE_INT, false},
};

static void sample(struct channel_thread *own, const struct runtime_event *event,
		   uint64_t *ret_values)
{
	unsigned cpu = 0, node = 0;

	(void)own;
	(void)event;
	getcpu(&cpu, &node);
	ret_values[0] = cpu;
	ret_values[1] = node;
}

const struct service service_cpuinfo = {
	.name = "cpuinfo",
	.about = "tells contexts apart by processor and NUMA node",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.sample = sample,
};
