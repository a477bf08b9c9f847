/* openmp: what OpenMP's run-time library tells tools becomes regions. */
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/service/calls/openmp_library.h"
#include "wire/context_channel.h"

static const struct service_metric metrics[] = {
	{"omp.num.threads", SERVICE_KEY, TRM_TYPE_INT, false},
	{"omp.thread.id", SERVICE_KEY, TRM_TYPE_INT, false},
	{"omp.thread.type", SERVICE_KEY, TRM_TYPE_STRING, false},
};

static void openmp_sample(struct channel_thread *own, const struct runtime_event *event,
			  uint64_t *ret_values)
{
	struct openmp_place place = openmp_place();

	(void)own;
	(void)event;
	ret_values[0] = place.size < 0 ? CONTEXT_NO_KEY : (uint64_t)place.size;
	ret_values[1] = place.number < 0 ? CONTEXT_NO_KEY : (uint64_t)place.number;
	ret_values[2] = place.type ? place.type : CONTEXT_NO_KEY;
}

static const char *openmp_start(struct channel *channel)
{
	(void)channel;
	return openmp_want() ? NULL
			     : "the OpenMP run-time library began without it: name it in "
			       "the environment";
}

/* Said where it would be missed. */
static void openmp_finish(struct channel *channel)
{
	if (!openmp_library.heard && !channel_is_child())
		log_warn("'%s': no OpenMP run-time library told anything: LLVM's "
			 "libomp does (clang -fopenmp), GCC's libgomp does not",
			 channel->name);
}

const struct service service_openmp = {
	.name = "openmp",
	.about = "parallel regions, loops, tasks and barriers of OpenMP are regions",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = openmp_start,
	.sample = openmp_sample,
	.finish = openmp_finish,
};
