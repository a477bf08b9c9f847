/* Traces of snapshots. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_TRACE_H
#define TRAMMEL_RUNTIME_CHANNEL_TRACE_H

#include "runtime/events/hooks.h"

struct channel_thread;

/* Frees the trace of a thread. */
void trace_deinit(struct channel_thread *own);

/* Begins the time of the trace's next snapshot at the event. */
void trace_begin(struct channel_thread *own, const struct runtime_event *event);

/* Marks that the thread was not measured since its last snapshot. */
void trace_resume(struct channel_thread *own, const struct runtime_event *event);

/* Adds a value of `attribute` in the context `node`: to the trace's next snapshot
 * (GIVEN) or from now on (KEPT, DROPPED); in sums, to the last snapshot. */
void trace_mark(struct channel_thread *own, enum runtime_event_kind kind,
		struct context_node *node, uint32_t attribute, uint64_t bits);

#endif
