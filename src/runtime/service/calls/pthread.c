/*
 * pthread: how often mutexes and read-write locks were taken, how long threads waited for
 * them and held them, and how many threads were started. A lock is tried first; only one
 * that is taken is waited for, by the function that the program called.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/store/state.h"
#include "wire/context_channel.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const struct service_metric metrics[] = {
	{"pthread.locks", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"pthread.waits", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"pthread.wait.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
	{"pthread.hold.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
	{"pthread.threads", SERVICE_DELTA, TRM_TYPE_UINT, false},
};

static runtime_local struct {
	uint64_t locks, waits, wait_ticks, hold_ticks, threads;
} own_counts;

/* What the thread holds, the last one taken in front of `next`. Of more than this the
 * oldest are forgotten, and so are those that another thread gives back. */
enum { HELD_MAX = 16 };

static runtime_local struct {
	struct {
		const void *lock;
		uint64_t since; /* ticks */
	} items[HELD_MAX];
	uint32_t next;
} held;

static void pthread_take(const void *lock)
{
	uint32_t at = held.next++ % HELD_MAX;

	held.items[at].since = runtime_ticks();
	held.items[at].lock = lock;
}

/* False if the thread is not known to hold it. */
static bool give_back(const void *lock)
{
	for (uint32_t i = 1; i <= HELD_MAX; i++) {
		uint32_t at = (held.next - i) % HELD_MAX;

		if (held.items[at].lock != lock)
			continue;
		own_counts.hold_ticks += runtime_ticks() - held.items[at].since;
		held.items[at].lock = NULL;
		held.next -= i == 1;
		return true;
	}
	return false;
}

/* Of a call that takes a lock. Its owner may have died (robust mutexes): it is had. */
static int pthread_taken(const void *lock, int result)
{
	if (!result || result == EOWNERDEAD)
		pthread_take(lock);
	return result;
}

static int pthread_waited(const void *lock, int result, uint64_t began)
{
	own_counts.waits++;
	own_counts.wait_ticks += runtime_ticks() - began;
	paths_called(PATHS_LOCK);
	return pthread_taken(lock, result);
}

/* `try` would take it without waiting. */
#define DEFINE(lock, try, type, parameters, arguments)                                   \
	static int(*real_##lock) parameters;                                             \
	static int wrap_##lock parameters                                                \
	{                                                                                \
		int result = try(what);                                                  \
                                                                                         \
		own_counts.locks++;                                                      \
		if (result != EBUSY && result != EAGAIN)                                 \
			return pthread_taken(what, result);                              \
		uint64_t began = runtime_ticks();                                        \
                                                                                         \
		return pthread_waited(what, real_##lock arguments, began);               \
	}

#define PLAIN(lock, try, type) DEFINE(lock, try, type, (type * what), (what))
#define TIMED(lock, try, type)                                                           \
	DEFINE(lock, try, type, (type * what, const struct timespec *until),             \
	       (what, until))

PLAIN(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
TIMED(pthread_mutex_timedlock, pthread_mutex_trylock, pthread_mutex_t)
DEFINE(pthread_mutex_clocklock, pthread_mutex_trylock, pthread_mutex_t,
       (pthread_mutex_t * what, clockid_t clock, const struct timespec *until),
       (what, clock, until))
PLAIN(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
PLAIN(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)

/* Counted where they got it. */
#define TRY(lock, type)                                                                  \
	static int (*real_##lock)(type * what);                                          \
	static int wrap_##lock(type *what)                                               \
	{                                                                                \
		int result = pthread_taken(what, real_##lock(what));                     \
                                                                                         \
		own_counts.locks += !result || result == EOWNERDEAD;                     \
		return result;                                                           \
	}

TRY(pthread_mutex_trylock, pthread_mutex_t)
TRY(pthread_rwlock_tryrdlock, pthread_rwlock_t)
TRY(pthread_rwlock_trywrlock, pthread_rwlock_t)

/* Before it is given back, since nobody else has it until then. */
#define UNLOCK(unlock, type)                                                             \
	static int (*real_##unlock)(type * what);                                        \
	static int wrap_##unlock(type *what)                                             \
	{                                                                                \
		give_back(what);                                                         \
		return real_##unlock(what);                                              \
	}

UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

/* While a thread waits for a condition it holds no lock. */
#define CONDITION(wait, parameters, arguments)                                           \
	static int(*real_##wait) parameters;                                             \
	static int wrap_##wait parameters                                                \
	{                                                                                \
		bool has = give_back(mutex);                                             \
		int result = real_##wait arguments;                                      \
                                                                                         \
		if (has)                                                                 \
			pthread_take(mutex);                                             \
		return result;                                                           \
	}

CONDITION(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
	  (condition, mutex))
CONDITION(pthread_cond_timedwait,
	  (pthread_cond_t * condition, pthread_mutex_t *mutex,
	   const struct timespec *until),
	  (condition, mutex, until))
CONDITION(pthread_cond_clockwait,
	  (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
	   const struct timespec *until),
	  (condition, mutex, clock, until))

static int (*real_pthread_create)(pthread_t *thread, const pthread_attr_t *attributes,
				  void *(*work)(void *), void *argument);
static int wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       void *(*work)(void *), void *argument)
{
	int result = real_pthread_create(thread, attributes, work, argument);

	own_counts.threads += !result;
	return result;
}

static const struct wrap wraps[] = {
	WRAP(pthread_mutex_lock),         WRAP(pthread_mutex_timedlock),
	WRAP(pthread_mutex_clocklock),    WRAP(pthread_mutex_trylock),
	WRAP(pthread_mutex_unlock),       WRAP(pthread_rwlock_rdlock),
	WRAP(pthread_rwlock_wrlock),      WRAP(pthread_rwlock_timedrdlock),
	WRAP(pthread_rwlock_timedwrlock), WRAP(pthread_rwlock_tryrdlock),
	WRAP(pthread_rwlock_trywrlock),   WRAP(pthread_rwlock_unlock),
	WRAP(pthread_cond_wait),          WRAP(pthread_cond_timedwait),
	WRAP(pthread_cond_clockwait),     WRAP(pthread_create),
};

static const char *pthread_start(struct channel *channel)
{
	channel->timed = true;
	channel->says |= CONTEXT_SAYS_MAIN | CONTEXT_SAYS_PTHREAD;
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return NULL;
}

static void pthread_sample(struct channel_thread *own, const struct runtime_event *event,
			   uint64_t *ret_values)
{
	(void)own;
	(void)event;
	ret_values[0] = own_counts.locks;
	ret_values[1] = own_counts.waits;
	ret_values[2] = own_counts.wait_ticks;
	ret_values[3] = own_counts.hold_ticks;
	ret_values[4] = own_counts.threads;
}

const struct service service_pthread = {
	.name = "pthread",
	.about = "locks that were taken, time that threads waited for them and held "
		 "them, and threads that were started",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = pthread_start,
	.sample = pthread_sample,
};
