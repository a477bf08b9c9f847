/*
 * Writing events of a thread's trace (enum context_event_kind), where there is room. What
 * else may be is in events.c. What is read of a process that was killed ends at the first
 * event whose first cell is 0, so that one is there once all else is.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_TRACE_H
#define TRAMMEL_RUNTIME_EVENTS_TRACE_H
#include "runtime/store/state.h"
#include "wire/context_event.h"

#include <string.h>

/* Traces a begin or an end at `ticks`; returns false if it does not fit a cell, or there
 * is no room. */
static inline __attribute__((always_inline)) bool
trace_short(struct context_thread *thread, enum context_event_kind kind, uint32_t what,
	    uint64_t ticks)
{
	uint32_t *event = thread->event_at;
	uint64_t passed = ticks - thread->event_ticks;

	if (unlikely(event >= thread->event_end || !context_event_is_short(what, passed)))
		return false;
	*event = context_event_short(kind, what, passed);
	thread->event_at = event + CONTEXT_CELLS_SHORT;
	thread->event_ticks = ticks;
	return true;
}

/* Traces an event for which there is room, and whose time is traced or fits. `value`:
 * the bits that were set, or NULL. */
static inline void trace_long(struct context_thread *thread, enum context_event_kind kind,
			      uint32_t what, uint64_t ticks, const uint64_t *value)
{
	uint32_t *event = thread->event_at;

	event[1] = (uint32_t)(ticks - thread->event_ticks);
	if (value)
		memcpy(event + CONTEXT_CELLS_LONG, value, sizeof(*value));
	in_order();
	*event = context_event_long(kind, what);
	thread->event_at = event + (value ? CONTEXT_CELLS_SET : CONTEXT_CELLS_LONG);
	thread->event_ticks = ticks;
}

/* Traces the time from which the times of later events are counted. */
static inline void trace_time(struct context_thread *thread, uint64_t ticks)
{
	uint32_t *event = thread->event_at;

	memcpy(event + 1, &ticks, sizeof(ticks));
	in_order();
	*event = context_event_long(CONTEXT_EVENT_TIME, 0);
	thread->event_at = event + CONTEXT_CELLS_TIME;
	thread->event_ticks = ticks;
}

#endif
