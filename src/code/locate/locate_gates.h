/*
 * The position of a thread in a gate or in the stub of a call.
 */
#ifndef TRAMMEL_CODE_LOCATE_LOCATE_GATES_H
#define TRAMMEL_CODE_LOCATE_LOCATE_GATES_H

#include "code/plan/position.h"

/* gates_cache_of: the first counter of the inline cache in the stub of the call that
 * returns to a link-time address. gates_has_compared: the first counter of the inline
 * cache whose target a thread at an offset of plan.code has matched and now uses. False
 * if there is none. */
bool gates_cache_of(const struct plan *plan, uint64_t return_address, uint32_t *ret_slot);

bool gates_has_compared(const struct plan *plan, uint32_t code_offset,
			uint32_t *ret_slot);

/* The link-time target of the call with which a function begins, from its unpatched bytes
 * `original`; or, with *ret_word true (an indirect call), the address of the word in
 * memory that holds the target. */
uint64_t gates_callee(const struct plan_function *function, const uint8_t *original,
		      bool *ret_word);

/* Finds the position of an offset in a gate or a stub, as plan_locate does. False if it
 * is in neither. */
bool gates_locate(const struct plan *plan,
		  const uint8_t *(*original_at)(void *context, uint64_t address,
						size_t size),
		  void *context, uint32_t code_offset, struct plan_position *ret_place);

#endif
