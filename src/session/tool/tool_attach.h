/*
 * Tools in a process that runs already: they are loaded elsewhere and copied there, while
 * it runs; and taken out when it is left. See docs/design/tool-namespace.md.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_ATTACH_H
#define TRAMMEL_SESSION_TOOL_TOOL_ATTACH_H

#include "session/state/session.h"

/* Loads the tools of the options into a process whose threads run and have banks, and
 * calls their routines for the start. Does nothing if they are there. Errors: a tool
 * cannot be loaded; or TRM_ERROR_GONE: no thread can be used now. */
struct trm_error *tool_attach(struct session *session, struct process *process);

/* Gives all threads of a process, which are stopped, what they need for routines of its
 * tools. Returns false if one has nothing of the kind: it is to be tried again. */
bool tool_attach_threads(struct session *session, const struct process *process);

/* Has the tools of a space end, while its threads run; none is in a routine, or will be.
 * TRM_ERROR_GONE: no thread can be used now. */
struct trm_error *tool_detach(struct session *session, const struct space *space);

/* Has no process call routines any more: one of them cannot be left, so that its code
 * stays. */
void tool_abandon(const struct session *session);

#endif
