#include "session/state/doorbell.h"

#include "session/state/session.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define WORDS_MAX 127

/* Between two looks. */
enum { LOOK_NS_MIN = 50000, LOOK_NS_MAX = 3000000 };

struct listener {
	struct doorbell *doorbell;
	pthread_t thread;
	uint32_t changed; /* futex: the list changed, or the end came */
	uint32_t count;
	uint32_t *words[WORDS_MAX];
};

struct doorbell {
	pid_t tracer; /* tid of the thread to wake */
	pthread_mutex_t lock;
	bool ending;
	struct VECTOR(struct listener *) listeners;
};

static void add_wait(struct futex_waitv *wait, uint32_t *word)
{
	*wait = (struct futex_waitv){
		.val = __atomic_load_n(word, __ATOMIC_ACQUIRE),
		.uaddr = (uintptr_t)word,
		.flags = FUTEX_32,
	};
}

static bool is_other(const struct futex_waitv *wait)
{
	return __atomic_load_n((const uint32_t *)(uintptr_t)wait->uaddr,
			       __ATOMIC_ACQUIRE) != (uint32_t)wait->val;
}

/* The list's own word is the last one. Before it changes, none of the others goes away.
 */
static bool has_rung(struct doorbell *doorbell, const struct futex_waitv *waits,
		     uint32_t count)
{
	bool rung = false;

	pthread_mutex_lock(&doorbell->lock);
	for (uint32_t i = count; i-- && !rung;)
		rung = is_other(&waits[i]);
	pthread_mutex_unlock(&doorbell->lock);
	return rung;
}

static void wait_for_ring(struct doorbell *doorbell, struct futex_waitv *waits,
			  uint32_t count)
{
	struct timespec pause = {.tv_nsec = LOOK_NS_MIN};

	if (!syscall(SYS_futex_waitv, waits, count, 0, NULL, 0) || errno == EAGAIN ||
	    errno == EINTR)
		return;
	while (!has_rung(doorbell, waits, count)) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LOOK_NS_MAX)
			pause.tv_nsec += pause.tv_nsec / 4;
	}
}

static void *run_listener(void *argument)
{
	struct listener *listener = argument;
	struct doorbell *doorbell = listener->doorbell;
	struct futex_waitv waits[WORDS_MAX + 1];
	bool first = true;

	for (;;) {
		pthread_mutex_lock(&doorbell->lock);
		uint32_t count = listener->count;
		bool ending = doorbell->ending;

		if (!ending) {
			for (uint32_t i = 0; i < count; i++)
				add_wait(&waits[i], listener->words[i]);
			add_wait(&waits[count], &listener->changed);
		}
		pthread_mutex_unlock(&doorbell->lock);
		if (ending)
			return NULL;
		/* After the values were taken: a ring before that is seen by the tracer's
		 * look, a ring after it ends the wait at once. */
		if (!first)
			syscall(SYS_tgkill, getpid(), doorbell->tracer, SIGUSR1);
		first = false;
		wait_for_ring(doorbell, waits, count + 1);
	}
}

static void wake_listener(struct listener *listener)
{
	__atomic_fetch_add(&listener->changed, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &listener->changed, FUTEX_WAKE, 1, NULL, NULL, 0);
}

struct trm_error *doorbell_create(struct doorbell **ret_doorbell)
{
	struct doorbell *doorbell = memory_allocate_zeroed(1, sizeof(*doorbell));

	doorbell->tracer = (pid_t)syscall(SYS_gettid);
	pthread_mutex_init(&doorbell->lock, NULL);
	*ret_doorbell = doorbell;
	return NULL;
}

/* With the lock held. */
static struct listener *roomy_listener(struct doorbell *doorbell)
{
	vector_for_each (&doorbell->listeners, listener)
		if ((*listener)->count < WORDS_MAX)
			return *listener;
	struct listener *listener = memory_allocate_zeroed(1, sizeof(*listener));

	listener->doorbell = doorbell;
	if (pthread_create(&listener->thread, NULL, run_listener, listener)) {
		free(listener);
		return NULL;
	}
	vector_push(&doorbell->listeners, listener);
	return listener;
}

void doorbell_add(struct doorbell *doorbell, uint32_t *word)
{
	pthread_mutex_lock(&doorbell->lock);
	struct listener *listener = roomy_listener(doorbell);

	if (listener)
		listener->words[listener->count++] = word;
	pthread_mutex_unlock(&doorbell->lock);
	if (listener)
		wake_listener(listener);
}

void doorbell_remove(struct doorbell *doorbell, const uint32_t *word)
{
	struct listener *owner = NULL;

	pthread_mutex_lock(&doorbell->lock);
	vector_for_each (&doorbell->listeners, item) {
		struct listener *listener = *item;

		for (uint32_t i = 0; i < listener->count; i++) {
			if (listener->words[i] != word)
				continue;
			listener->words[i] = listener->words[--listener->count];
			owner = listener;
			break;
		}
	}
	pthread_mutex_unlock(&doorbell->lock);
	if (owner)
		wake_listener(owner);
}

void doorbell_destroy(struct doorbell *doorbell)
{
	if (!doorbell)
		return;
	pthread_mutex_lock(&doorbell->lock);
	doorbell->ending = true;
	pthread_mutex_unlock(&doorbell->lock);
	vector_for_each (&doorbell->listeners, listener) {
		wake_listener(*listener);
		pthread_join((*listener)->thread, NULL);
		free(*listener);
	}
	vector_deinit(&doorbell->listeners);
	pthread_mutex_destroy(&doorbell->lock);
	free(doorbell);
}
