#include "runtime/upcall/threads.h"

#include "runtime/events/fork.h"
#include "runtime/events/seccomp_guard.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/upcall/defer.h"
#include "runtime/upcall/kernel.h"
#include "runtime/upcall/signal.h"
#include "runtime/upcall/source.h"
#include "runtime/upcall/stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_NS = 100000000 };

struct upcall_state upcalls;

static runtime_local struct upcall_thread *own_thread;
static pthread_key_t end_key;
static bool watching;

static uint32_t read_number(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static struct upcall_thread *find_thread(uint32_t tid)
{
	struct upcall_thread *thread =
		__atomic_load_n(&upcalls.threads, __ATOMIC_ACQUIRE);

	while (thread && read_number(&thread->tid) != tid)
		thread = thread->next;
	return thread;
}

struct upcall_thread *upcall_threads_known(void)
{
	return own_thread;
}

struct upcall_thread *upcall_threads_self(void)
{
	uint32_t tid;

	if (runtime_sealed)
		return own_thread;
	/* A thread that was made by a system call may share another's memory. */
	tid = kernel_thread();
	if (!own_thread || read_number(&own_thread->tid) != tid)
		own_thread = find_thread(tid);
	return own_thread;
}

static struct upcall_thread *new_thread(uint32_t tid)
{
	struct upcall_thread *thread = find_thread(0);

	if (!thread) {
		thread = runtime_map(sizeof(*thread));
		if (!thread)
			return NULL;
		thread->next = upcalls.threads;
		__atomic_store_n(&upcalls.threads, thread, __ATOMIC_RELEASE);
	}
	thread->top = NULL;
	thread->deferred_count = 0;
	thread->deferring = false;
	memset(thread->own, 0, sizeof(thread->own));
	__atomic_store_n(&thread->tid, tid, __ATOMIC_RELEASE);
	return thread;
}

static void open_source(struct upcall_thread *thread, uint32_t at)
{
	struct upcall_own *own = &thread->own[at];
	const char *refused;

	if (thread->armed & 1u << at)
		return;
	memset(own, 0, sizeof(*own));
	upcall_stack_make(thread, upcalls.sources[at].user);
	refused = upcall_source_open(&upcalls.sources[at], thread->tid, own);
	if (refused) {
		upcalls.trouble = refused;
		upcalls.missed++;
		return;
	}
	__atomic_or_fetch(&thread->armed, 1u << at, __ATOMIC_SEQ_CST);
}

static void add_counts(struct upcall_counts *sum, const struct upcall_counts *counts)
{
	sum->interrupts += counts->interrupts;
	sum->upcalls += counts->upcalls;
	sum->disabled += counts->disabled;
	sum->nested += counts->nested;
	sum->lost += counts->lost;
	sum->left += counts->left;
	sum->ns += counts->ns;
}

/* Not while a handler of the thread looks at the ring. */
static void close_source(struct upcall_thread *thread, uint32_t at)
{
	if (!(thread->armed & 1u << at))
		return;
	__atomic_and_fetch(&thread->armed, ~(1u << at), __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&thread->reading, __ATOMIC_SEQ_CST))
		if (!runtime_sealed)
			sched_yield();
	upcall_source_close(&thread->own[at]);
	add_counts(&upcalls.sources[at].ended, &thread->own[at].counts);
	memset(&thread->own[at].counts, 0, sizeof(thread->own[at].counts));
}

static void release_thread(struct upcall_thread *thread)
{
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		close_source(thread, i);
	__atomic_store_n(&thread->tid, 0, __ATOMIC_RELEASE);
}

static bool has_ended(const struct upcall_thread *thread)
{
	return kernel_call3(SYS_tgkill, (uintptr_t)upcalls.process, thread->tid, 0) ==
	       -ESRCH;
}

void upcall_threads_reap(void)
{
	for (struct upcall_thread *at = upcalls.threads; at; at = at->next)
		if (at->tid && !runtime_sealed && has_ended(at)) {
			at->reading = 0;
			release_thread(at);
		}
}

/* `born`: upcalls.births when the thread began or later. A record that is older is of one
 * that had the same number. */
static void arm_thread(uint32_t tid, uint64_t born)
{
	struct upcall_thread *thread = find_thread(tid);

	if (runtime_sealed)
		return;
	if (thread && thread->born < born) {
		release_thread(thread);
		thread = NULL;
	}
	if (!thread)
		thread = new_thread(tid);
	if (!thread) {
		upcalls.missed++;
		upcalls.trouble = "there is no memory for a thread's record";
		return;
	}
	thread->born = upcalls.births;
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		if (upcall_source_is_active(&upcalls.sources[i]))
			open_source(thread, i);
}

struct linux_dirent64 {
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static uint32_t parse_number(const char *text)
{
	uint32_t number = 0;

	while (*text >= '0' && *text <= '9')
		number = number * 10 + (uint32_t)(*text++ - '0');
	return *text ? 0 : number;
}

void upcall_threads_arm(void)
{
	static char entries[4096]; /* under the lock: handlers have little stack */
	long folder = kernel_call(SYS_openat, (uintptr_t)AT_FDCWD,
				  (uintptr_t) "/proc/self/task",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	long size;

	if (folder < 0) {
		upcalls.trouble = "'/proc/self/task' cannot be read: other threads are "
				  "not found";
		arm_thread(kernel_thread(), 0);
		return;
	}
	while ((size = kernel_call3(SYS_getdents64, (uintptr_t)folder, (uintptr_t)entries,
				    sizeof(entries))) > 0) {
		const struct linux_dirent64 *entry;

		for (long at = 0; at < size; at += entry->size) {
			entry = (const void *)(entries + at);
			if (parse_number(entry->name))
				arm_thread(parse_number(entry->name), 0);
		}
	}
	kernel_call3(SYS_close, (uintptr_t)folder, 0, 0);
}

void upcall_threads_disarm(uint32_t source)
{
	for (struct upcall_thread *at = upcalls.threads; at; at = at->next)
		if (at->tid)
			close_source(at, source);
}

void upcall_threads_look(uint64_t now)
{
	uint64_t looked = __atomic_load_n(&upcalls.looked, __ATOMIC_RELAXED);

	if (now - looked < LOOK_NS || runtime_sealed ||
	    !__atomic_compare_exchange_n(&upcalls.looked, &looked, now, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	runtime_lock(&upcalls.lock);
	upcall_threads_reap();
	upcall_threads_arm();
	runtime_unlock(&upcalls.lock);
}

/* In a child of fork: nothing of the parent's threads but what this one runs in. The
 * rings are not there (the kernel leaves them out), nor are timers. */
static void forget_parent(void)
{
	uint32_t tid = kernel_thread();

	upcalls.lock.taken = 0;
	upcalls.process = getpid();
	upcalls.missed = 0;
	upcalls.trouble = NULL;
	upcalls.active = 0;
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		memset(&upcalls.sources[i].ended, 0, sizeof(upcalls.sources[i].ended));
	for (uint32_t i = 0; i < TRM_UPCALL_USERS_MAX; i++) {
		struct upcall_user *user = &upcalls.users[i];

		user->running = 0;
		if (user->state == UPCALL_ACTIVE &&
		    !(user->options.flags & TRM_UPCALL_FOLLOW_FORK))
			user->state = UPCALL_STOPPED;
		upcalls.active += user->state == UPCALL_ACTIVE;
	}
	for (struct upcall_thread *at = upcalls.threads; at; at = at->next) {
		bool own = at == own_thread;

		memset(at->own, 0, sizeof(at->own));
		at->armed = at->reading = 0;
		at->tid = own ? tid : 0;
		for (struct upcall_frame *frame = own ? at->top : NULL; frame;
		     frame = frame->previous)
			upcalls.users[frame->user].running++;
	}
}

static void fork_child(void)
{
	forget_parent();
	if (upcalls.active)
		arm_thread(kernel_thread(), 0);
}

void upcall_threads_check_process(void)
{
	if (upcalls.process != getpid())
		fork_child();
}

/* A thread's end, where the C library tells. */
static void end_thread(void *record)
{
	struct upcall_thread *thread = record;

	trm_upcall_run_deferred();
	runtime_lock(&upcalls.lock);
	if (thread->tid == kernel_thread())
		release_thread(thread);
	runtime_unlock(&upcalls.lock);
}

static void begin_here(uint64_t born)
{
	int saved = errno;

	if (!runtime_sealed) {
		runtime_lock(&upcalls.lock);
		arm_thread(kernel_thread(), born);
		runtime_unlock(&upcalls.lock);
		pthread_setspecific(end_key, upcall_threads_self());
	}
	errno = saved;
}

/* What a thread that begins is told; taken by who makes it, given back by the thread. */
struct birth {
	uint32_t taken;
	uint64_t born;
	void *(*work)(void *argument);
	int (*plain_work)(void *argument); /* of C11 */
	void *argument;
};
static struct birth births[64];

static struct birth *take_birth(void)
{
	if (!upcalls.active)
		return NULL;
	upcall_threads_check_process();
	for (size_t i = 0; upcalls.active && i < sizeof(births) / sizeof(births[0]); i++)
		if (!__atomic_exchange_n(&births[i].taken, 1, __ATOMIC_ACQUIRE)) {
			births[i].born =
				__atomic_add_fetch(&upcalls.births, 1, __ATOMIC_RELAXED);
			return &births[i];
		}
	return NULL;
}

static void give_birth_back(struct birth *birth)
{
	if (birth)
		__atomic_store_n(&birth->taken, 0, __ATOMIC_RELEASE);
}

/* The call is the last thing here, so that this is not seen on the thread's stack. */
static void *begin_thread(void *packet)
{
	struct birth *birth = packet;
	void *(*work)(void *argument) = birth->work;
	void *argument = birth->argument;
	uint64_t born = birth->born;

	give_birth_back(birth);
	begin_here(born);
	return work(argument);
}

static int begin_plain_thread(void *packet)
{
	struct birth *birth = packet;
	int (*work)(void *argument) = birth->plain_work;
	void *argument = birth->argument;
	uint64_t born = birth->born;

	give_birth_back(birth);
	begin_here(born);
	return work(argument);
}

static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
				  void *);
static int (*real_thrd_create)(unsigned long *, int (*)(void *), void *);
static int (*real_clone)(int (*)(void *), void *, int, void *, ...);

static int wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       void *(*work)(void *), void *argument)
{
	struct birth *birth = take_birth();
	int result;

	if (!birth)
		return real_pthread_create(thread, attributes, work, argument);
	birth->work = work;
	birth->argument = argument;
	result = real_pthread_create(thread, attributes, begin_thread, birth);
	if (result)
		give_birth_back(birth);
	return result;
}

static int wrap_thrd_create(unsigned long *thread, int (*work)(void *), void *argument)
{
	struct birth *birth = take_birth();
	int result;

	if (!birth)
		return real_thrd_create(thread, work, argument);
	birth->plain_work = work;
	birth->argument = argument;
	result = real_thrd_create(thread, begin_plain_thread, birth);
	if (result)
		give_birth_back(birth);
	return result;
}

/* Arguments may not have been given: words of the caller's stack. */
static __attribute__((no_sanitize_address)) int
wrap_clone(int (*work)(void *), void *stack, int flags, void *argument, ...)
{
	void *more[3];
	va_list list;
	int result;

	va_start(list, argument);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	result = real_clone(work, stack, flags, argument, more[0], more[1], more[2]);
	if (result > 0 && (flags & CLONE_THREAD) && upcalls.active && !runtime_sealed) {
		runtime_lock(&upcalls.lock);
		arm_thread((uint32_t)result,
			   __atomic_add_fetch(&upcalls.births, 1, __ATOMIC_RELAXED));
		runtime_unlock(&upcalls.lock);
	}
	return result;
}

static const struct wrap wraps[] = {
	WRAP(pthread_create),
	WRAP(thrd_create),
	WRAP(clone),
};

/* Before a filter of system calls is installed, which might kill for a signal's return.
 */
static void stop_all(void)
{
	runtime_lock(&upcalls.lock);
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		upcall_threads_disarm(i);
	upcalls.trouble = "the program installed a filter of system calls: upcalls ended";
	runtime_unlock(&upcalls.lock);
}

bool upcall_threads_watch(void)
{
	if (watching)
		return true;
	if (pthread_key_create(&end_key, end_thread) ||
	    !fork_handle(NULL, NULL, fork_child))
		return false;
	upcalls.process = getpid();
	watching = true;
	seccomp_guard_tell(stop_all);
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return true;
}
