/*
 * pthread: how often mutexes and read-write locks were taken, and how long threads waited
 * for them. A lock is tried first; only one that is taken is waited for, by the function
 * that the program called.
 */
#include "runtime/channel/paths.h"
#include "runtime/service/loads.h"
#include "runtime/service/wrap.h"

#include <errno.h>
#include <pthread.h>

static const struct service_metric metrics[] = {
	{"pthread.locks", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"pthread.waits", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"pthread.wait.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
};

static runtime_local struct {
	uint64_t locks, waits, ticks;
} own_counts;

/* `lock` takes it, `try` would without waiting. */
#define DEFINE(lock, try, type)                                                          \
	static int (*real_##lock)(type * what);                                          \
	static int wrap_##lock(type *what)                                               \
	{                                                                                \
		int result = try(what);                                                  \
                                                                                         \
		own_counts.locks++;                                                      \
		if (result != EBUSY && result != EAGAIN)                                 \
			return result;                                                   \
		uint64_t began = runtime_ticks();                                        \
                                                                                         \
		result = real_##lock(what);                                              \
		own_counts.waits++;                                                      \
		own_counts.ticks += runtime_ticks() - began;                             \
		paths_called(PATHS_LOCK);                                                \
		return result;                                                           \
	}

DEFINE(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
DEFINE(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
DEFINE(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)

#define WRAP(function)                                                                   \
	{                                                                                \
#function, (void *)wrap_##function, (void **)&real_##function            \
	}
static const struct wrap wraps[] = {
	WRAP(pthread_mutex_lock),
	WRAP(pthread_rwlock_rdlock),
	WRAP(pthread_rwlock_wrlock),
};

static const char *start(struct channel *channel)
{
	channel->timed = true;
	channel->says |= CONTEXT_SAYS_MAIN | CONTEXT_SAYS_PTHREAD;
	wrap_install(wraps, sizeof(wraps) / sizeof(wraps[0]));
	loads_watch();
	return NULL;
}

static void sample(struct channel_thread *own, const struct runtime_event *event,
		   uint64_t *ret_values)
{
	(void)own;
	(void)event;
	ret_values[0] = own_counts.locks;
	ret_values[1] = own_counts.waits;
	ret_values[2] = own_counts.ticks;
}

const struct service service_pthread = {
	.name = "pthread",
	.about = "locks that were taken, and time that threads waited for them",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = start,
	.sample = sample,
};
