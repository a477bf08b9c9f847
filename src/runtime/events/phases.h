/*
 * Phases: where a measuring process counts apart what the program does in each region
 * (wire/phase.h), the thread changes the view of its bank at each begin and end.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_PHASES_H
#define TRAMMEL_RUNTIME_EVENTS_PHASES_H

#include "runtime/events/classes.h"
#include "runtime/store/state.h"
#include "wire/context.h"

struct wire_bank;

/* Begins to tell phases of this thread, if its bank has views. `bank` NULL: nobody
 * counts. */
void phases_begin_thread(const struct context_thread *thread, struct wire_bank *bank);

/* Tells no more phases of this thread: it goes on in the one that it is in. */
void phases_end_thread(void);

/* Counts in the view of the region that the thread is in now. Made without vector
 * registers, as it is called where they are the program's. */
void phases_follow(const struct context_thread *thread);

/* The same for this thread at the end of an event, if some thread tells phases. */
static inline void phases_see_event(void)
{
	if (unlikely(runtime_state->phases))
		phases_follow(runtime_self);
}

#endif
