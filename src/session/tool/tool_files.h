/* Files of tools: descriptors of the tracer's, whatever the program does to its own. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_FILES_H
#define TRAMMEL_SESSION_TOOL_TOOL_FILES_H

#include "session/tool/tool_calls.h"

/* Serves a system call that concerns files. Returns its result: -ENOSYS if it is none
 * that tools may make. */
int64_t tool_files_serve(struct tool_request *request);

/* Returns an open file by its number; NULL: it is not open. */
struct tool_file *tool_files_find(struct tool_request *request, int number);

#endif
