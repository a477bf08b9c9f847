/*
 * Processes that one which is attached to had started before: they are processes of their
 * own, which nobody traces, as with strace and perf.
 */
#ifndef TRAMMEL_SESSION_RUN_ATTACH_CHILDREN_H
#define TRAMMEL_SESSION_RUN_ATTACH_CHILDREN_H

#include "session/state/session.h"

/* Adds a row for each child of a process, and for theirs, that is not followed: the
 * report says that it was not measured. */
void attach_note_children(struct session *session, pid_t pid);

#endif
