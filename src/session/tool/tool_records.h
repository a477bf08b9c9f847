/* Records of tools: what the tools of a process have said is added to its image. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_RECORDS_H
#define TRAMMEL_SESSION_TOOL_TOOL_RECORDS_H

#include "session/state/session.h"

/* Takes the records that are there. What cannot be read is not there any more. */
void tool_records_take(struct session *session, const struct process *process);

/* Returns the address at which code that runs at `address` is in the program's file as it
 * is mapped: another one if the function was relocated. */
uint64_t tool_records_original(const struct space *space, uint64_t address);

/* Forgets the records in a copy of a process's memory, which a child has got: they are
 * the process's. */
void tool_records_drop(const struct process *process);

#endif
