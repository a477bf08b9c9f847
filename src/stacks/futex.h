/* What a futex is that a thread waits for, by what lies around it. */
#ifndef TRAMMEL_STACKS_FUTEX_H
#define TRAMMEL_STACKS_FUTEX_H

#include "stacks/object.h"

/* Finds what a futex is that a call waits for, as long as it waits. */
void stacks_futex_look(uint32_t pid, const struct stacks_call *call,
		       struct stacks_futex *ret_futex);

/* Names it; `function_names` as in stacks_object_find. */
void stacks_futex_name(const struct stacks_futex *futex, const struct stacks_call *call,
		       const char *function_names, struct stacks_object *object);

/* Whether a call of futex(2) waits, and not wakes others. */
bool stacks_futex_waits(const struct stacks_call *call);

/* Whether it wakes others. */
bool stacks_futex_wakes(const struct stacks_call *call);

#endif
