/*
 * Data of the sources of points (code/points/point_data.h) in a process: a mapping of its
 * own, to which the tracer writes what is new before code that names it runs.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_DATA_H
#define TRAMMEL_SESSION_TOOL_TOOL_DATA_H

#include "session/state/session.h"

/* Maps the data into the process of a stopped thread, if sources have some, and writes
 * what there is so far. */
struct trm_error *tool_data_map(struct session *session, struct thread *thread);

/* Unmaps what is not needed yet, but for some bytes to come, from the process of a thread
 * that waits in a hook: it is about to limit its address space. */
void tool_data_shrink(struct session *session, struct thread *thread);

/* Writes what was added meanwhile to a process where the data is mapped. */
struct trm_error *tool_data_update(const struct session *session, struct space *space);

/* As tool_data_update, for all processes of a session (`context`, a struct session). */
void tool_data_update_all(void *context);

#endif
