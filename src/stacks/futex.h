/* What a futex is that a thread waits for, by what lies around it. */
#ifndef TRAMMEL_STACKS_FUTEX_H
#define TRAMMEL_STACKS_FUTEX_H

#include "stacks/object.h"

/* Finds what a thread waits for in futex(2); parameters as in stacks_object_find. */
void stacks_futex_find(uint32_t pid, const struct stacks_call *call,
		       const char *function_names, struct stacks_object *object);

/* Returns the thread that holds the mutex of a futex that the call waits for; 0: it is no
 * mutex, or nobody holds it. */
uint32_t stacks_futex_holder(uint32_t pid, const struct stacks_call *call);

/* Whether a call of futex(2) waits, and not wakes others. */
bool stacks_futex_waits(const struct stacks_call *call);

/* Whether it wakes others. */
bool stacks_futex_wakes(const struct stacks_call *call);

#endif
