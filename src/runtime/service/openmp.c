/* openmp: what OpenMP's run-time library tells tools becomes regions. */
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/foreign/openmp.h"

static const char *start(struct channel *channel)
{
	(void)channel;
	return openmp_want() ? NULL
			     : "the OpenMP run-time library began without it: name it in "
			       "the environment";
}

/* Said where it would be missed. */
static void flush(struct channel *channel)
{
	if (!openmp_is_heard())
		log_warn("'%s': no OpenMP run-time library told anything: LLVM's "
			 "libomp does (clang -fopenmp), GCC's libgomp does not",
			 channel->name);
}

const struct service service_openmp = {
	.name = "openmp",
	.about = "parallel regions, loops, tasks and barriers of OpenMP are regions",
	.start = start,
	.flush = flush,
};
