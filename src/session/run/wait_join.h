/*
 * Threads of a running process, from when they are attached to until they are followed
 * from call to call. For that each is stopped once. Its call is made again then, if it
 * was in one; those of which a part would be done are waited for.
 */
#ifndef TRAMMEL_SESSION_RUN_WAIT_JOIN_H
#define TRAMMEL_SESSION_RUN_WAIT_JOIN_H

#include "base/error.h"
#include "base/text.h"
#include "stacks/waits.h"

#include <sys/types.h>

/* Traces all threads of a process, notes the waits in which they are, and has them stop.
 * Errors: it may not be traced, or is gone. */
struct trm_error *wait_join_begin(struct waits *waits, pid_t pid);

/* Looks again at the threads that could not be stopped. Returns whether there are any. */
bool wait_join_again(struct waits *waits);

/* Returns whether a thread was asked to stop and has not: its call may end with EINTR,
 * and must be made again. */
bool wait_join_is_open(const struct waits *waits);

/* Acts on the first stop of a thread: its wait goes on if its call is made again. */
void wait_join_see_stop(struct waits *waits, struct waits_thread *thread,
			uint64_t now_ns);

/* Adds lines on threads that were never followed. */
void wait_join_explain(const struct waits *waits, struct text *notes);

#endif
