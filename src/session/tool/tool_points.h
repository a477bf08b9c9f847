/* Routines of tools that points call: their addresses, and calls that fail. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_POINTS_H
#define TRAMMEL_SESSION_TOOL_TOOL_POINTS_H

#include "session/tool/tool_visit.h"

/* Finds the routines that points call, and has them called from now on. Errors: a tool
 * has no such routine. */
struct trm_error *tool_points_start(struct tool_visit *visit);

/* Acts on a stop of a thread at a system call that code of a tool makes at a point.
 * Returns whether it is one; the thread is resumed then. */
bool tool_points_see_call(struct session *session, struct thread *thread);

/* Acts on a fault in a routine that a point has called: the thread goes on behind the
 * call. Returns whether it is one; the thread is resumed then. */
bool tool_points_see_fault(struct session *session, struct thread *thread, int signal);

/* Ends routines that take too long. Returns the nanoseconds until it is to be called
 * again. */
uint64_t tool_points_act(struct session *session);

#endif
