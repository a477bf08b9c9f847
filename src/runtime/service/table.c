/* All services. A new one is a file in measure/ or calls/ here, and a line below. */
#include "runtime/service/table.h"
#include "runtime/channel/registry.h"
#include "runtime/channel/service.h"
#include "runtime/service/external_services.h"

#define SERVICES(X)                                                                      \
	X(event)                                                                         \
	X(async_event)                                                                   \
	X(timer)                                                                         \
	X(timestamp)                                                                     \
	X(aggregate)                                                                     \
	X(trace)                                                                         \
	X(recorder)                                                                      \
	X(report)                                                                        \
	X(textlog)                                                                       \
	X(loop_statistics)                                                               \
	X(loop_monitor)                                                                  \
	X(region_monitor)                                                                \
	X(loopreport)                                                                    \
	X(perf)                                                                          \
	X(sampler)                                                                       \
	X(callpath)                                                                      \
	X(symbollookup)                                                                  \
	X(rusage)                                                                        \
	X(memstat)                                                                       \
	X(cpuinfo)                                                                       \
	X(environment)                                                                   \
	X(validator)                                                                     \
	X(alloc)                                                                         \
	X(io)                                                                            \
	X(syscalls)                                                                      \
	X(sysalloc)                                                                      \
	X(pthread)                                                                       \
	X(dlopen)                                                                        \
	X(openmp)                                                                        \
	X(statistics)                                                                    \
	X(debug)                                                                         \
	X(timeseries)                                                                    \
	X(timeseries_profile)                                                            \
	X(mpi)                                                                           \
	X(mpireport)                                                                     \
	X(mpiflush)

#define DECLARE(name) extern const struct service service_##name;
SERVICES(DECLARE)

#define ROW(name) &service_##name,
static const struct service *const services[] = {SERVICES(ROW)};

/* What the peer calls them. */
static const char *const aliases[][2] = {
	{"allocstats", "alloc"}, {"env", "environment"}, {"ompt", "openmp"},
	{"papi", "perf"},        {"libpfm", "perf"},
};

static const struct service_list list = {
	.items = services,
	.count = sizeof(services) / sizeof(services[0]),
	.aliases = aliases,
	.alias_count = sizeof(aliases) / sizeof(aliases[0]),
	.outside_at = external_service_at,
	.outside_load = external_services_load,
};

void services_register(void)
{
	registry_set(&list);
}
