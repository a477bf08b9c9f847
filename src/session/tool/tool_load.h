/*
 * Loading tools: a dynamic loader of their own is mapped in a scratch process, and run on
 * its thread with trammel-tool-host, which loads the tools.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_LOAD_H
#define TRAMMEL_SESSION_TOOL_TOOL_LOAD_H

#include "session/state/session.h"

/* Loads the tools of the options into a scratch process (tool_scratch.h), whose thread
 * becomes the one that leads them. Errors: a tool cannot be loaded, or there is no room.
 */
struct trm_error *tool_load(struct session *session, struct thread *thread);

#endif
