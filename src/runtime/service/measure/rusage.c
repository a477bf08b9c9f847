/* rusage: processor time, page faults and context switches of the thread, getrusage(2).
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/store/lock.h"

#include <sys/resource.h>

static const struct service_metric metrics[] = {
	{"rusage.utime.us", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"rusage.stime.us", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"rusage.minflt", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"rusage.majflt", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"rusage.nvcsw", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"rusage.nivcsw", SERVICE_DELTA, TRM_TYPE_UINT, false},
};

static uint64_t us_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static void rusage_sample(struct channel_thread *own, const struct runtime_event *event,
			  uint64_t *ret_values)
{
	struct rusage usage = {0};

	(void)own;
	(void)event;
	if (runtime_sealed || getrusage(RUSAGE_THREAD, &usage))
		return;
	ret_values[0] = us_of(usage.ru_utime);
	ret_values[1] = us_of(usage.ru_stime);
	ret_values[2] = (uint64_t)usage.ru_minflt;
	ret_values[3] = (uint64_t)usage.ru_majflt;
	ret_values[4] = (uint64_t)usage.ru_nvcsw;
	ret_values[5] = (uint64_t)usage.ru_nivcsw;
}

const struct service service_rusage = {
	.name = "rusage",
	.about = "processor time, page faults and context switches; a system call an "
		 "event",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.sample = rusage_sample,
};
