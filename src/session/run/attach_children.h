/*
 * Processes that an attached process had started before: they are separate processes
 * and are not traced, as with strace and perf.
 */
#ifndef TRAMMEL_SESSION_RUN_ATTACH_CHILDREN_H
#define TRAMMEL_SESSION_RUN_ATTACH_CHILDREN_H

#include "session/state/session.h"

/* Adds a row for each descendant of a process that is not followed: the report says
 * that it was not measured. */
void attach_note_children(struct session *session, pid_t pid);

#endif
