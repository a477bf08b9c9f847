/* Locks of the library, and the end of system calls under a filter of them. */
#ifndef TRAMMEL_RUNTIME_STORE_LOCK_H
#define TRAMMEL_RUNTIME_STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Set once a filter of system calls was installed: the library makes none any more,
 * since one could kill the program, and makes do with the memory that it has. */
extern bool runtime_sealed;

/* A lock that spins and then yields: it is held for short times, and a child of fork
 * only needs to set it to 0. Its holder takes no signals: a handler that entered the
 * library again would wait for ever, and so would all threads if it left by longjmp. */
struct runtime_lock {
	uint32_t taken;
	bool masked;
	uint64_t signals; /* that the holder had blocked before */
};

/* Take and release the lock. */
void runtime_lock(struct runtime_lock *lock);
void runtime_unlock(struct runtime_lock *lock);

/* Resets the lock's state in a child of fork, in which no other thread has its signals
 * blocked. */
void lock_resume(void);

/* Stops system calls, once those of the holders of locks are finished. */
void runtime_seal(void);

#endif
