/* Modules that come and go in a process: its tools are told. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_MODULES_H
#define TRAMMEL_SESSION_TOOL_TOOL_MODULES_H

#include "session/tool/tool_visit.h"

/* Returns whether tools of a space are to be told of modules that came or went. */
bool tool_modules_changed(const struct session *session, const struct space *space);

/* Tells them, on the thread of a visit. */
void tool_modules_tell(struct tool_visit *visit);

/* Tells them, if something changed, on a thread that is stopped outside of a system
 * call. */
void tool_modules_see(struct session *session, struct thread *thread);

/* Likewise, on a thread that waits for the answer to a hook. */
void tool_modules_see_hook(struct session *session, struct thread *thread);

#endif
