/*
 * Loading tools into a process: a dynamic loader of their own is mapped there, and run on
 * a stopped thread with trammel-tool-host, which loads the tools.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_LOAD_H
#define TRAMMEL_SESSION_TOOL_TOOL_LOAD_H

#include "session/state/session.h"

/* Loads the tools of the options into the address space of a thread, which is stopped
 * outside of a system call and becomes the thread that leads them. Errors: a tool cannot
 * be loaded, or there is no room; the program is unharmed. `scratch`: it is that of a
 * scratch process (tool_scratch.h). */
struct trm_error *tool_load(struct session *session, struct thread *thread, bool scratch);

#endif
