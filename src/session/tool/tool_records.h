/* Records of tools: what the tools of a process have said is added to its image. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_RECORDS_H
#define TRAMMEL_SESSION_TOOL_TOOL_RECORDS_H

#include "session/state/session.h"

/* Takes the records that are there. What cannot be read is not there any more. */
void tool_records_take(struct session *session, const struct process *process);

/* Forgets the records in a copy of a process's memory: they are the process's. */
void tool_records_drop(const struct process *process);

#endif
