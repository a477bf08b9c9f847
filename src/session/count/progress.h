/*
 * How many instructions were executed so far, for intervals of so many. Nobody tells the
 * tracer when an interval is full: it looks at the counters, the sooner again the nearer
 * the end is. So an interval is longer than it was to be, by what was executed until the
 * tracer looked.
 */
#ifndef TRAMMEL_SESSION_COUNT_PROGRESS_H
#define TRAMMEL_SESSION_COUNT_PROGRESS_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;

/* The interval begins now. */
void progress_begin(struct session *session);
/* Looks; whether the interval has as many instructions as it is to have. */
bool progress_look(struct session *session);
/* Counters of the process are cleared between these two: they are not forgotten. */
void progress_begin_clearing(struct session *session, const struct process *process);
void progress_end_clearing(struct session *session, const struct process *process);

#endif
