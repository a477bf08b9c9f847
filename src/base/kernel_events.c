#include "base/kernel_events.h"

#include "base/array.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#define HARDWARE(name, papi, config)                                                     \
	{                                                                                \
		name, papi, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, false, false     \
	}
#define SOFTWARE(name, config, is_clock, in_kernel)                                      \
	{                                                                                \
		name, NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, is_clock,        \
			in_kernel                                                        \
	}
/* Misses of reads, of a cache of perf_event_open(2). */
#define CACHE(name, papi, cache)                                                         \
	{                                                                                \
		name, papi, PERF_TYPE_HW_CACHE,                                          \
			PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_RESULT_MISS    \
							      << 16,                     \
			false, false                                                     \
	}
static const struct kernel_event kernel_events[] = {
	SOFTWARE("cpu-clock", CPU_CLOCK, true, false),
	SOFTWARE("task-clock", TASK_CLOCK, true, false),
	SOFTWARE("page-faults", PAGE_FAULTS, false, false),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, false, false),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, false, false),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, false, false),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, false, true),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, false, true),
	HARDWARE("cycles", "PAPI_TOT_CYC", CPU_CYCLES),
	HARDWARE("instructions", "PAPI_TOT_INS", INSTRUCTIONS),
	HARDWARE("ref-cycles", "PAPI_REF_CYC", REF_CPU_CYCLES),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES),
	HARDWARE("cache-references", "PAPI_L3_TCA", CACHE_REFERENCES),
	HARDWARE("cache-misses", "PAPI_L3_TCM", CACHE_MISSES),
	HARDWARE("branches", "PAPI_BR_INS", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", "PAPI_BR_MSP", BRANCH_MISSES),
	HARDWARE("stalled-cycles-frontend", "PAPI_STL_ICY", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", "PAPI_RES_STL", STALLED_CYCLES_BACKEND),
	CACHE("L1-dcache-load-misses", "PAPI_L1_LDM", L1D),
	CACHE("L1-icache-load-misses", "PAPI_L1_ICM", L1I),
	CACHE("LLC-load-misses", "PAPI_L3_LDM", LL),
	CACHE("dTLB-load-misses", "PAPI_TLB_DM", DTLB),
	CACHE("iTLB-load-misses", "PAPI_TLB_IM", ITLB),
};

const struct kernel_event *kernel_event_find(const char *name)
{
	for (size_t i = 0; i < array_count(kernel_events); i++) {
		const struct kernel_event *event = &kernel_events[i];

		if (!strcmp(name, event->name) ||
		    (event->papi && !strcmp(name, event->papi)))
			return event;
	}
	return NULL;
}

const char *kernel_event_refused(uint32_t type, int error)
{
	if (error == EACCES || error == EPERM)
		return "the kernel forbids it: see kernel.perf_event_paranoid";
	if (type != PERF_TYPE_SOFTWARE && (error == ENOENT || error == EOPNOTSUPP ||
					   error == ENODEV || error == EINVAL))
		return "this machine does not offer hardware counters";
	return NULL;
}

const char *kernel_event_name(size_t index)
{
	return index < array_count(kernel_events) ? kernel_events[index].name : NULL;
}
