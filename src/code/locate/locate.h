/*
 * The meaning of an offset in the code of a plan: the position of a thread there, and the
 * way back to the original.
 */
#ifndef TRAMMEL_CODE_LOCATE_LOCATE_H
#define TRAMMEL_CODE_LOCATE_LOCATE_H

#include "code/plan/plan_rows.h"
#include "code/plan/position.h"

/*
 * Finds the position of `code_offset` in plan.code. `original_at` returns unpatched bytes
 * of the text at a link-time address, at most 255 and never beyond the function; NULL
 * makes the position unknown. If `original` of the result is at or behind address +
 * displaced, the thread is in a copy and may as well continue at `original`.
 */
struct plan_position
plan_locate(const struct plan *plan,
	    const uint8_t *(*original_at)(void *context, uint64_t address, size_t size),
	    void *context, uint32_t code_offset);

/*
 * Writes code that does what is left of a trampoline from `place` (START or DISPLACED, at
 * an instruction boundary) up to the next branch or the end of the displaced
 * instructions, and then jumps through the 8-byte word in front of it. `block` is that
 * word, which the caller fills in, and the code; it will lie at link-time address
 * `address`. Uses at most `capacity` bytes; returns the size, or 0 if it does not fit,
 * `place` is of another kind, or a branch comes first (x86/branch.h does branches).
 * `original` are the unpatched bytes of the function, plan_function.displaced of them.
 * `ret_next` is the offset in plan.code where the trampoline continues behind that.
 */
size_t plan_finish(const struct plan *plan, const struct plan_position *place,
		   const uint8_t *original, uint64_t address, uint8_t *block,
		   size_t capacity, uint32_t *ret_next);

/* The first patch that ends behind a link-time address; NULL if there is none. */
const struct plan_patch *plan_patch_behind(const struct plan *plan, uint64_t address);

/*
 * Finds the offset in plan.code where the trampoline of function `index` does what the
 * original instruction at link-time `address` does: a displaced one, or (for an address
 * behind those) the jump back. `original` as for plan_finish. False if no displaced
 * instruction starts there.
 */
bool plan_offset_of(const struct plan *plan, uint32_t index, const uint8_t *original,
		    uint64_t address, uint32_t *ret_offset);

/* The function whose trampoline starts at or before the offset; NULL if there is none. */
const struct plan_function *plan_function_of(const struct plan *plan,
					     uint32_t code_offset);

#endif
