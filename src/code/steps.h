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

/* Whether `size` bytes of code are a call: of rel32, or an indirect one, behind prefixes.
 */
bool steps_is_call(const uint8_t *code, size_t size);

/* The function whose trampoline starts at or before the offset; NULL if none does. */
const struct plan_function *plan_function_of(const struct plan *plan,
					     uint32_t code_offset);

#endif
