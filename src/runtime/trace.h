/*
 * Writing events of a thread's trace, in the usual case: there is room, and the time
 * since the last one fits the event. All else is in events.c.
 */
#ifndef TRAMMEL_RUNTIME_TRACE_H
#define TRAMMEL_RUNTIME_TRACE_H

#include "runtime/runtime.h"

/* An event for which there is room, and whose time is told. `value`: what was set, or
 * NULL. The word is there once all else is, since what is read of a process that was
 * killed ends at the first one that is 0. */
static inline __attribute__((always_inline)) void
trace_write(struct context_thread *thread, enum context_event_kind kind, uint32_t what,
	    uint64_t ticks, const uint64_t *value)
{
	uint64_t *event = thread->event_at;

	if (value)
		event[1] = *value;
	in_order();
	*event = context_event_word(kind, what, ticks - thread->event_ticks);
	thread->event_at = event + 1 + (value != NULL);
	thread->event_ticks = ticks;
}

/* The same; false if it is not the usual case. */
static inline __attribute__((always_inline)) bool
trace_usual(struct context_thread *thread, enum context_event_kind kind, uint32_t what,
	    uint64_t ticks, const uint64_t *value)
{
	if (unlikely(thread->event_at >= thread->event_end ||
		     (ticks - thread->event_ticks) >> 32))
		return false;
	trace_write(thread, kind, what, ticks, value);
	return true;
}

#endif
