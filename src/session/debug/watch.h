/*
 * Watchpoints: the processor's debug registers, by which a thread stops behind an
 * instruction that has written to an address, or read from it. Each thread has its own;
 * all of a process have the same.
 */
#ifndef TRAMMEL_SESSION_DEBUG_WATCH_H
#define TRAMMEL_SESSION_DEBUG_WATCH_H

#include "session/debug/state.h"

/* Sets a watchpoint; all debugged threads stand. `ret_number`: its number, of the same
 * numbers as breakpoints have. Fails if all four are in use, or the processor cannot
 * watch such bytes. */
struct trm_error *debug_watch_set(struct session *session,
				  const struct debug_watch *watch, uint32_t *ret_number);

/* Returns one, valid until the next is set or taken away; NULL: there is none, or its
 * memory is gone. */
struct debug_watch *debug_watch_find(struct session *session, uint32_t number);

/* Takes one away. */
void debug_watch_unset(struct session *session, uint32_t number);

/* Takes those of a process away. `gone`: the kernel has done so. */
void debug_watch_leave(struct session *session, const struct process *process, bool gone);

/* A new thread, which is stopped, gets those of its process. */
void debug_watch_begin(struct session *session, const struct thread *thread);

/* Notes for a stopped thread, which was trapped, which watchpoint it has met, if it is to
 * stop for it. Returns whether it is. */
bool debug_watch_see(struct session *session, struct thread *thread);

#endif
