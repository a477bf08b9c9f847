/*
 * Where a thread is in a function that was relocated whole, from plan.steps.
 */
#ifndef TRAMMEL_CODE_STEPS_H
#define TRAMMEL_CODE_STEPS_H

#include "code/plan.h"

/* As plan_locate, for a function that has steps; `code_offset` lies behind its
 * trampoline's start. */
struct plan_place steps_locate(const struct plan *plan,
			       const struct plan_function *function,
			       uint32_t code_offset);

/* What the first bytes of an instruction say about calls; 0: it is none. */
enum steps_byte {
	STEPS_PREFIX = 1,
	STEPS_CALL,  /* of rel32 */
	STEPS_GROUP, /* with a ModRM byte whose register field is 2, an indirect one */
};
extern const uint8_t steps_bytes[256];

/* Whether `size` bytes of code are a call: of rel32, or an indirect one, behind prefixes.
 */
static inline bool steps_is_call(const uint8_t *code, size_t size)
{
	while (size && steps_bytes[*code] == STEPS_PREFIX) {
		code++;
		size--;
	}
	if (size < 2 || !steps_bytes[*code])
		return false;
	return steps_bytes[*code] == STEPS_CALL || (code[1] >> 3 & 7) == 2;
}

/* The function whose trampoline starts at or before the offset; NULL if none does. */
const struct plan_function *plan_function_of(const struct plan *plan,
					     uint32_t code_offset);

#endif
