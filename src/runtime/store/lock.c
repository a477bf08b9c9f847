#include "runtime/store/lock.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

bool runtime_sealed;

/* Threads that have their signals blocked. */
static uint32_t masked;

static void set_mask(const uint64_t *mask, uint64_t *ret_old)
{
	register uint64_t *old __asm__("rdx") = ret_old;
	register long size __asm__("r10") = sizeof(*mask);
	long result = SYS_rt_sigprocmask;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"((long)SIG_SETMASK), "S"(mask), "r"(old), "r"(size)
			 : "rcx", "r11", "memory");
}

/* False: no system call may be made. */
static bool block_signals(uint64_t *ret_old)
{
	static const uint64_t all = ~(uint64_t)0;

	__atomic_add_fetch(&masked, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&runtime_sealed, __ATOMIC_SEQ_CST)) {
		__atomic_sub_fetch(&masked, 1, __ATOMIC_RELEASE);
		return false;
	}
	set_mask(&all, ret_old);
	return true;
}

void runtime_seal(void)
{
	__atomic_store_n(&runtime_sealed, true, __ATOMIC_SEQ_CST);
	/* Not for ever: a child of a raw fork may have inherited the number. */
	for (int i = 0; i < 1000 && __atomic_load_n(&masked, __ATOMIC_SEQ_CST); i++)
		sched_yield();
}

void runtime_lock(struct runtime_lock *lock)
{
	uint64_t signals = 0;
	bool blocked = block_signals(&signals);

	for (unsigned tries = 0; __atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
	     tries++)
		if (tries % 64 == 63 && !runtime_sealed)
			sched_yield();
	lock->masked = blocked;
	lock->signals = signals;
}

void runtime_unlock(struct runtime_lock *lock)
{
	uint64_t signals = lock->signals;
	bool blocked = lock->masked;

	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
	if (!blocked)
		return;
	set_mask(&signals, NULL);
	__atomic_sub_fetch(&masked, 1, __ATOMIC_RELEASE);
}

void lock_resume(void)
{
	masked = 0;
}
