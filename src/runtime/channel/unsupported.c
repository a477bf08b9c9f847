#include "runtime/channel/unsupported.h"

#include <string.h>

#define NO_TOPDOWN "topdown counters of the processor (a hardware PMU) are not read"

/* Names of the peer's that are known, with what is in the way. */
static const struct {
	const char *name, *why;
} unsupported[] = {
	{"cuda-activity-report", "GPUs are not measured"},
	{"cuda-activity-profile", "GPUs are not measured"},
	{"rocm-activity-report", "GPUs are not measured"},
	{"rocm-activity-profile", "GPUs are not measured"},
	{"nvtx", "GPUs are not measured"},
	{"nvprof", "GPUs are not measured"},
	{"roctx", "GPUs are not measured"},
	{"profile.cuda", "GPUs are not measured"},
	{"profile.hip", "GPUs are not measured"},
	{"trace.cuda", "GPUs are not measured"},
	{"cuda.activities", "GPUs are not measured"},
	{"cuda.gputime", "GPUs are not measured"},
	{"cuda.memcpy", "GPUs are not measured"},
	{"rocm.activities", "GPUs are not measured"},
	{"rocm.counters", "GPUs are not measured"},
	{"rocm.gputime", "GPUs are not measured"},
	{"rocm.memcpy", "GPUs are not measured"},
	{"rocm.alloc.stats", "GPUs are not measured"},
	{"rocm.activity.stats", "GPUs are not measured"},
	{"trace.kokkos", "Kokkos is not measured"},
	{"umpire.allocators", "Umpire is not measured; alloc.stats measures the heap"},
	{"umpire.filter", "Umpire is not measured; alloc.stats measures the heap"},
	{"umpire.totals", "Umpire is not measured; alloc.stats measures the heap"},
	{"mem.bandwidth", "only Performance Co-Pilot would tell it"},
	{"mem.read.bandwidth", "only Performance Co-Pilot would tell it"},
	{"mem.write.bandwidth", "only Performance Co-Pilot would tell it"},
	{"papi.topdown.toplevel", NO_TOPDOWN},
	{"papi.topdown.all", NO_TOPDOWN},
	{"perf.topdown.toplevel", NO_TOPDOWN},
	{"perf.topdown.all", NO_TOPDOWN},
	{"topdown.toplevel", NO_TOPDOWN},
	{"topdown.all", NO_TOPDOWN},
	{"perf_topdown", NO_TOPDOWN},
	{"topdown", NO_TOPDOWN},
	{"kokkostime", "Kokkos is not measured"},
	{"kokkoslookup", "Kokkos is not measured"},
	{"cupti", "GPUs are not measured"},
	{"cuptitrace", "GPUs are not measured"},
	{"rocprofiler", "GPUs are not measured"},
	{"roctracer", "GPUs are not measured"},
	{"umpire", "Umpire is not measured; alloc measures the heap"},
	{"pcp", "Performance Co-Pilot is not asked"},
	{"pcp_memory", "Performance Co-Pilot is not asked"},
	{"pcp.memory", "Performance Co-Pilot is not asked"},
	{"adiak_import", "Adiak is not read"},
	{"adiak_export", "Adiak is not written"},
	{"vtune", "regions are not passed on to VTune"},
	{"tau", "regions are not passed on to TAU"},
	{"craypat", "regions are not passed on to CrayPat"},
	{"ldms", "nothing is sent to LDMS"},
	{"variorum", "power is not measured"},
	{"measurement_template",
	 "it is a sample in the peer's source; service.h has ours"},
	{"adiak.import_categories", "Adiak is not read"},
	{"profile.kokkos", "Kokkos is not measured"},
	{"profile.pthread", "threads' starts are not regions; thread.starts counts them"},
};

const char *unsupported_why(const char *name)
{
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++)
		if (!strcmp(name, unsupported[i].name))
			return unsupported[i].why;
	return NULL;
}
