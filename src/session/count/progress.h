/*
 * Number of instructions executed so far, for intervals measured in instructions. The
 * tracer is not told when an interval is full: it looks at the counters, more often as
 * the end comes near. So an interval is longer than requested by the instructions
 * executed until the tracer looked.
 */
#ifndef TRAMMEL_SESSION_COUNT_PROGRESS_H
#define TRAMMEL_SESSION_COUNT_PROGRESS_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;

/* Notes that an interval begins now. */
void progress_begin(struct session *session);
/* Reads the counters. Returns whether the interval has as many instructions as
 * requested. */
bool progress_look(struct session *session);
/* Bracket the clearing of a process's counters, so that their instructions are kept in
 * the sum. */
void progress_begin_clearing(struct session *session, const struct process *process);
void progress_end_clearing(struct session *session, const struct process *process);

#endif
