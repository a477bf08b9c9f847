/* Events in a thread: perf events that send a signal, and POSIX timers. */
#ifndef TRAMMEL_RUNTIME_UPCALL_SOURCE_H
#define TRAMMEL_RUNTIME_UPCALL_SOURCE_H

#include "runtime/upcall/state.h"

/* Finds an event by its name, and writes what it is. `flags`: enum trm_upcall_flag.
 * Returns why there is none, or NULL. */
const char *upcall_source_find(const struct trm_upcall_event *event, uint32_t flags,
			       struct upcall_source *ret_source);

/* Begins the source in the thread with the number `tid` of this process; its signal comes
 * with the address of `own` if it is a timer. Returns why it cannot, or NULL. */
const char *upcall_source_open(const struct upcall_source *source, uint32_t tid,
			       struct upcall_own *own);

/* Ends it; nothing if it is not open. The counts stay. */
void upcall_source_close(struct upcall_own *own);

/* Returns how many interrupts there were since the last call, by the perf event's ring.
 */
uint64_t upcall_source_take(const struct upcall_own *own);

/* Returns how many interrupts the ring holds. */
uint64_t upcall_source_waiting(const struct upcall_own *own);

#endif
