#include "stacks/futex.h"

#include "base/array.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

/* The beginning of glibc's pthread_mutex_t. */
struct glibc_mutex {
	uint32_t lock; /* 0: free; 1: locked; 2: others wait, too. With priority
			  inheritance, and robust ones, the owner's number. */
	uint32_t count;
	uint32_t owner;
	uint32_t users;
	uint32_t kind;
};
enum { GLIBC_KINDS = 0x400, TID = FUTEX_TID_MASK };

static unsigned int operation_of(const struct stacks_call *call)
{
	return (unsigned int)call->arguments[1] & (unsigned int)FUTEX_CMD_MASK;
}

bool stacks_futex_waits(const struct stacks_call *call)
{
	const unsigned int operation = operation_of(call);

	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
	       operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2 ||
	       operation == FUTEX_WAIT_REQUEUE_PI;
}

bool stacks_futex_wakes(const struct stacks_call *call)
{
	const unsigned int operation = operation_of(call);

	return operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET ||
	       operation == FUTEX_UNLOCK_PI || operation == FUTEX_WAKE_OP ||
	       operation == FUTEX_REQUEUE || operation == FUTEX_CMP_REQUEUE;
}

static bool is_thread_of(uint32_t pid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32, pid, tid);
	return tid && !access(path, F_OK);
}

static uint32_t find_holder(uint32_t pid, const struct stacks_call *call)
{
	const unsigned int operation = operation_of(call);
	const bool waits_for_two =
		(operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
		(uint32_t)call->arguments[2] == 2;
	struct glibc_mutex mutex = {0};
	const size_t got =
		stacks_read_memory(pid, call->arguments[0], &mutex, sizeof(mutex));

	if (got < sizeof(mutex.lock))
		return 0;
	/* Robust mutexes, those with priorities, and all of musl: the owner is in the
	 * word, with a bit that somebody waits. */
	if (mutex.lock & FUTEX_WAITERS && is_thread_of(pid, mutex.lock & TID))
		return mutex.lock & TID;
	return waits_for_two && got == sizeof(mutex) && mutex.lock &&
			       mutex.kind < GLIBC_KINDS && mutex.owner <= TID &&
			       is_thread_of(pid, mutex.owner)
		       ? mutex.owner
		       : 0;
}

void stacks_futex_look(uint32_t pid, const struct stacks_call *call,
		       struct stacks_futex *ret_futex)
{
	const unsigned int operation = operation_of(call);
	const bool shared = !((unsigned int)call->arguments[1] & FUTEX_PRIVATE_FLAG);
	const uint32_t expected = (uint32_t)call->arguments[2];
	struct stacks_futex futex = {0};

	/* The kernel clears a thread's number at its end, and wakes who waits for that.
	 */
	if (shared && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
	    is_thread_of(pid, expected))
		futex.ended = expected;
	else
		futex.holder = find_holder(pid, call);
	*ret_futex = futex;
}

/* Functions of C libraries that wait by futexes; the first row that fits counts. */
static const struct {
	const char *part;
	enum stacks_kind kind;
	const char *words;
} waiters[] = {
	{"pthread_cond_", STACKS_CONDITION, "condition"},
	{"cnd_", STACKS_CONDITION, "condition"},
	{"sem_wait", STACKS_SEMAPHORE, "semaphore"},
	{"sem_timedwait", STACKS_SEMAPHORE, "semaphore"},
	{"sem_clockwait", STACKS_SEMAPHORE, "semaphore"},
	{"new_sem_", STACKS_SEMAPHORE, "semaphore"},
	{"pthread_barrier_", STACKS_BARRIER, "barrier"},
	{"pthread_rwlock_", STACKS_LOCK, "read-write lock"},
	{"pthread_mutex_", STACKS_MUTEX, "mutex"},
	{"lll_lock_wait", STACKS_MUTEX, "mutex"},
};

void stacks_futex_name(const struct stacks_futex *futex, const struct stacks_call *call,
		       const char *function_names, struct stacks_object *object)
{
	const char *words = "futex";

	if (futex->ended) {
		object->kind = STACKS_THREAD;
		text_format(&object->words, "thread %" PRIu32, futex->ended);
		return;
	}
	object->kind = STACKS_FUTEX;
	object->address = call->arguments[0];
	object->holder = futex->holder;
	for (size_t i = 0; i < array_count(waiters) && !futex->holder; i++) {
		if (!strstr(function_names, waiters[i].part))
			continue;
		object->kind = waiters[i].kind;
		words = waiters[i].words;
		break;
	}
	if (!futex->holder) {
		text_format(&object->words, "%s 0x%" PRIx64, words, object->address);
		return;
	}
	object->kind = STACKS_MUTEX;
	text_format(&object->words, "mutex 0x%" PRIx64 " held by thread %" PRIu32,
		    object->address, futex->holder);
}
