/*
 * Has debugged programs outlive a tracer that is killed: a thread that meets a break
 * instruction then, or is in the midst of a step, gets a SIGTRAP that nobody takes. So
 * the resident is the handler of SIGTRAP (resident/trap.h) while there are break
 * instructions. The program does not see that: before it asks for the handler, sets one
 * (WIRE_HOOK_ACTION) or gets a SIGTRAP of its own, the handler is what it has set.
 *
 * Not guarded are programs that make system calls by instructions of their own (static
 * ones, Go's), those with a filter of system calls, and
 * threads that block SIGTRAP.
 */
#ifndef TRAMMEL_SESSION_DEBUG_GUARD_H
#define TRAMMEL_SESSION_DEBUG_GUARD_H

#include "session/debug/state.h"

#include <signal.h>

/* Guards the process of a thread, which is stopped outside of signals or waits in a hook,
 * if it is not and can be. */
void debug_guard_raise(struct session *session, struct thread *thread);

/* Guards all debugged processes that have a thread that can be used. */
void debug_guard_raise_all(struct session *session);

/* The process of a thread has what it has set; as debug_guard_raise(). */
void debug_guard_lower(struct session *session, struct thread *thread);

/* An image of a process begins, whose thread is stopped: it ignores SIGTRAP as before. */
void debug_guard_see_image(struct session *session, struct thread *thread);

/* A thread is about to get a SIGTRAP of its own. True: it is to stop in its handler,
 * where the process is guarded again. */
bool debug_guard_enters(const struct session *session, struct thread *thread);

/* A thread waits in a hook before a call of sigaction(2) for SIGTRAP: the process is
 * guarded again behind that. */
void debug_guard_see_action(struct session *session, struct thread *thread);

/* A thread that has made such a call stands at the end of a system call. */
void debug_guard_see_call(struct session *session, struct thread *thread);

/* Guards processes again when it is time. Returns the nanoseconds until that. */
uint64_t debug_guard_act(struct session *session);

/* The same for a process that is let go: on any thread of it. */
void debug_guard_leave(struct session *session, struct process *process);

/* A thread was at a break of ours, or at the end of a step: where it blocks SIGTRAP, the
 * kernel has changed its mask and the handler. They are put right. */
void debug_guard_mend(struct session *session, struct thread *thread);

/* A thread stands at a SIGTRAP of the program's own. False: it is to be delivered. True:
 * it comes again, and the thread was resumed. */
bool debug_guard_pass(struct session *session, struct thread *thread,
		      const siginfo_t *info);

/* Tells the resident of a break instruction and the byte that it replaces. Returns the
 * row; WIRE_BREAKS_MAX: there is no room. */
uint32_t debug_guard_note(const struct space *space, uint64_t address, uint8_t byte);
void debug_guard_forget(const struct space *space, uint32_t row);

/* Tells it that the trap flag of a thread is set (1), or not any more (-1). */
void debug_guard_count(const struct thread *thread, int change);

#endif
