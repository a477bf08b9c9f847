/* The threads of the process, and their sources: those that were there, those that begin,
 * and those that end. */
#ifndef TRAMMEL_RUNTIME_UPCALL_THREADS_H
#define TRAMMEL_RUNTIME_UPCALL_THREADS_H

#include "runtime/upcall/state.h"

/* Returns the record of this thread; NULL: it has none. For signal handlers, too. */
struct upcall_thread *upcall_threads_self(void);

/* Returns the record that the thread was known by last, without a system call; NULL:
 * none. Wrong only in threads that share the C library's memory of a thread. */
struct upcall_thread *upcall_threads_known(void);

/* Sees from now on how threads are made, and forks; returns false if it cannot. */
bool upcall_threads_watch(void);

/* Opens the active sources in all threads of the process that have them not. Under the
 * lock. */
void upcall_threads_arm(void);

/* Closes the source in all threads, and adds up its counts. Under the lock. */
void upcall_threads_disarm(uint32_t source);

/* Looks, now and then, for threads that nothing told of, and for those that have ended.
 * `now`: nanoseconds. For signal handlers. */
void upcall_threads_look(uint64_t now);

/* Forgets what belongs to the parent, where a child finds it. */
void upcall_threads_check_process(void);

/* Lets go of the threads that have ended. Under the lock. */
void upcall_threads_reap(void);

#endif
