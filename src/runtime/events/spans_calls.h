/*
 * Calls that are regions and have not returned: what spans.c and spans_fast.c share.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_SPANS_CALLS_H
#define TRAMMEL_RUNTIME_EVENTS_SPANS_CALLS_H

#include "runtime/store/state.h"

/* Its node may have been moved, or ended, by annotations. */
struct spans_frame {
	uint64_t place; /* of the return address on the stack */
	const struct context_node *node;
	uint64_t value; /* of the node */
};

struct spans_calls {
	struct spans_frame *frames;
	uint32_t count, room;
	bool over; /* the thread has ended */
};
extern runtime_local struct spans_calls spans_calls;

/* Attribute of the regions; 0: functions are not regions. */
extern uint32_t spans_attribute;

/* Tells whether the innermost call lies at `place` of the stack, or below. */
static inline bool spans_is_over(uint64_t place)
{
	const struct spans_calls *calls = &spans_calls;

	return calls->count && calls->frames[calls->count - 1].place <= place;
}

#endif
