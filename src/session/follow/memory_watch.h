/* Processes whose counters take more memory than they may: see session/state/memory.h. */
#ifndef TRAMMEL_SESSION_FOLLOW_MEMORY_WATCH_H
#define TRAMMEL_SESSION_FOLLOW_MEMORY_WATCH_H

#include <stdint.h>

struct session;

/* Lets a process go if arenas take much more than the limit, since counters take
 * memory as they are used. Returns the nanoseconds until the next call is due. */
uint64_t memory_watch_act(struct session *session);

#endif
