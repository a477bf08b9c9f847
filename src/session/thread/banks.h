/* The counters of threads: banks in the arenas of their families. */
#ifndef TRAMMEL_SESSION_THREAD_BANKS_H
#define TRAMMEL_SESSION_THREAD_BANKS_H

#include "session/state/session.h"

/* Returns the size in bytes of a bank for `slots` counters of `slot_size` bytes each. */
uint64_t bank_stride_for(uint64_t slots, uint32_t slot_size);

/* Returns the least number of banks of `stride` bytes in a chunk of a process: usual
 * programs need no further chunk. Large banks, as for call graphs, are made one at a
 * time, and so are all where RLIMIT_AS limits the memory that the program may map. */
uint32_t bank_least(pid_t pid, uint64_t stride);

/* Makes sure that `count` banks of the widest kind are free. May inject calls into
 * `thread`. */
struct trm_error *space_reserve_banks(struct session *session, struct space *space,
				      struct thread *thread, uint32_t count);

/* Gives a stopped thread a bank of its own; if none can be had it uses its parent's. */
void thread_assign_bank(struct session *session, struct thread *thread, uint32_t quiet);

/* Gives a thread without a bank a free bank, if one exists; injects nothing. */
void thread_take_free_bank(struct session *session, struct thread *thread);

/* Gives a thread of a forked process that is let go a bank that is never read, shared
 * by all such threads: its hooks ask nothing of the tracer. */
void thread_set_aside(struct session *session, struct thread *thread);

/* Leaves its banks to a thread that is let go: it may be in a hook, or continue to
 * count. */
void thread_leave_bank(struct thread *thread);

/* Makes all banks of the space hold at least `slots` counters. May inject calls into
 * `thread`. */
struct trm_error *space_widen_banks(struct session *session, struct space *space,
				    struct thread *thread, uint32_t slots);

/* Writes the calls that a stopped thread is in to `calls`, as its bank records them,
 * if that is measured. `bank` NULL: it has no bank. */
void thread_note_calls(const struct session *session, const struct bank *bank,
		       struct thread_calls *calls);

#endif
