/* Stopping all debugged threads, and letting them go on. */
#ifndef TRAMMEL_SESSION_DEBUG_HALT_H
#define TRAMMEL_SESSION_DEBUG_HALT_H

#include "session/debug/debug.h"

/* Asks all debugged threads to stop. DEBUG_EVENT_STOPPED comes when they stand, at once
 * if they do. */
void debug_halt(struct session *session);

/* Lets all debugged threads go on. */
void debug_go(struct session *session);

/* Has a stopped thread wait, with the signal that it is to get when it goes on. */
void debug_park(struct thread *thread, enum debug_parking parking, int signal);

/* Has a thread that waits go on. */
void debug_unpark(struct session *session, struct thread *thread);

/* Takes the trap flag out of the registers of a stopped thread, and out of the flags that
 * it has just pushed. */
void debug_untrap(struct thread *thread);

/* Notes that a thread's stop is to be told (enum debug_reason), and stops all others. */
void debug_stop_for(struct session *session, struct thread *thread, int reason);

/* Goes on with stopping. Returns the nanoseconds until more is due. */
uint64_t debug_halt_act(struct session *session);

#endif
