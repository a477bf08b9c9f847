/*
 * Where a thread is in a gate, or in the stub of a call.
 */
#ifndef TRAMMEL_CODE_LOCATE_LOCATE_GATES_H
#define TRAMMEL_CODE_LOCATE_LOCATE_GATES_H

#include "code/plan/position.h"

/* The first counter of the inline cache in the stub that leads on the call which returns
 * to a link-time address; false if there is none. And that of a cache whose target a
 * thread at an offset of plan.code has found, and by which it goes on. */
bool gates_cache_of(const struct plan *plan, uint64_t return_address, uint32_t *ret_slot);

bool gates_has_compared(const struct plan *plan, uint32_t code_offset,
			uint32_t *ret_slot);

/* What such a function calls first; `original` are its unpatched bytes. `ret_word`: it is
 * the address of a word that tells. */
uint64_t gates_callee(const struct plan_function *function, const uint8_t *original,
		      bool *ret_word);

/* As plan_locate, for an offset in a gate or a stub. False: it is in neither. */
bool gates_locate(const struct plan *plan,
		  const uint8_t *(*original_at)(void *context, uint64_t address,
						size_t size),
		  void *context, uint32_t code_offset, struct plan_position *ret_place);

#endif
