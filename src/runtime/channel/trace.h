/* trace.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_TRACE_H
#define TRAMMEL_RUNTIME_CHANNEL_TRACE_H

#include "runtime/events/hooks.h"

struct channel_thread;

/* Frees the trace of a thread. */
void trace_deinit(struct channel_thread *own);

/* The next snapshot of a trace is of the time from the event on. */
void trace_begin(struct channel_thread *own, const struct runtime_event *event);

/* The thread was not measured since its last snapshot. */
void trace_resume(struct channel_thread *own, const struct runtime_event *event);

/* For the trace, a value of the snapshot that comes next (GIVEN), or from now on (KEPT,
 * DROPPED); for the sums, one of the snapshot that was taken last. The thread is in this
 * context. */
void trace_mark(struct channel_thread *own, enum runtime_event_kind kind,
		struct context_node *node, uint32_t attribute, uint64_t bits);

#endif
