/* All services. A new one is a file in this folder and a line here. */
#include "runtime/service/outside.h"

#include <string.h>

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

enum { SERVICE_COUNT = sizeof(services) / sizeof(services[0]) };

/* What the peer calls them. */
static const char *const aliases[][2] = {
	{"allocstats", "alloc"}, {"env", "environment"}, {"ompt", "openmp"},
	{"papi", "perf"},        {"libpfm", "perf"},
};

/* Those from outside come last. */
const struct service *service_at(size_t index)
{
	return index < SERVICE_COUNT ? services[index]
				     : outside_service_at(index - SERVICE_COUNT);
}

const char *service_name_at(size_t index)
{
	const struct service *service = service_at(index);

	return service ? service->name : NULL;
}

const struct service *service_find(const char *name)
{
	const struct service *service;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(name, aliases[i][0]))
			name = aliases[i][1];
	for (size_t i = 0; i < SERVICE_COUNT; i++)
		if (!strcmp(name, services[i]->name))
			return services[i];
	outside_services_load();
	for (size_t i = 0; (service = outside_service_at(i)); i++)
		if (!strcmp(name, service->name))
			return service;
	return NULL;
}
