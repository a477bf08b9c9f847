/* The counters of threads: banks in the arenas of their families. */
#ifndef TRAMMEL_SESSION_THREAD_BANKS_H
#define TRAMMEL_SESSION_THREAD_BANKS_H

#include "session/state/session.h"

/* Bytes of a bank for so many counters. */
uint64_t bank_stride_for(uint64_t slots, uint32_t slot_size);

/* How many banks of so many bytes a chunk of a process has at least: usual programs need
 * no other. Large ones, as with call graphs, are made one at a time, and so are all where
 * RLIMIT_AS says how much memory the program may map. */
uint32_t bank_least(pid_t pid, uint64_t stride);

/* Makes sure that so many banks of the widest kind are free. `thread` may be injected. */
struct trm_error *space_reserve_banks(struct session *session, struct space *space,
				      struct thread *thread, uint32_t count);

/* Gives a stopped thread a bank of its own; without one it goes on with its parent's. */
void thread_assign_bank(struct session *session, struct thread *thread, uint32_t quiet);

/* The same if there is one, and it has none: nothing is injected. */
void thread_take_free_bank(struct session *session, struct thread *thread);

/* A thread of a forked process that is let go gets a bank that nobody looks at, all of
 * them the same: its hooks ask nobody. */
void thread_set_aside(struct session *session, struct thread *thread);

/* A thread that is let go keeps its banks: it may be in a hook, or count on. */
void thread_leave_bank(struct thread *thread);

/* Makes all banks of the space hold at least `slots` counters. `thread` may be injected.
 */
struct trm_error *space_widen_banks(struct session *session, struct space *space,
				    struct thread *thread, uint32_t slots);

/* Writes the calls that a stopped thread is in to `calls`, as its bank tells them, if
 * that is measured. `bank`: NULL: it has none. */
void thread_note_calls(const struct session *session, const struct bank *bank,
		       struct thread_calls *calls);

#endif
