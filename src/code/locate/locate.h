/*
 * What an offset in the code of a plan is: the position of a thread that stands there,
 * and the way back.
 */
#ifndef TRAMMEL_CODE_LOCATE_LOCATE_H
#define TRAMMEL_CODE_LOCATE_LOCATE_H

#include "code/plan/plan_rows.h"
#include "code/plan/position.h"

/*
 * Finds what `code_offset` (in plan.code) is. `original_at` gives unpatched bytes of the
 * text at a link-time address, at most 255 and never beyond the function; NULL makes the
 * place unknown. Where place.original is at or behind address + displaced, the thread is
 * in a copy: it may just as well go on at place.original.
 */
struct plan_position
plan_locate(const struct plan *plan,
	    const uint8_t *(*original_at)(void *context, uint64_t address, size_t size),
	    void *context, uint32_t code_offset);

/*
 * Writes code that does what is left of a trampoline from `place` (START or DISPLACED, at
 * an instruction boundary) up to the next branch or the end of the displaced
 * instructions, and then jumps through the 8-byte word in front of it. `block` is that
 * word, which is left to the caller, and the code; it is to lie at link-time address
 * `address`. At most `capacity` bytes of it are used; returns the size, 0 if it does not
 * fit, the place is none of those, or a branch comes first (x86/branch.h does branches).
 * `original` are the unpatched bytes of the function, plan_function.displaced of them.
 * `ret_next` is the offset in plan.code where the trampoline goes on behind that.
 */
size_t plan_finish(const struct plan *plan, const struct plan_position *place,
		   const uint8_t *original, uint64_t address, uint8_t *block,
		   size_t capacity, uint32_t *ret_next);

/* The first patch that ends behind a link-time address; NULL if there is none. */
const struct plan_patch *plan_patch_behind(const struct plan *plan, uint64_t address);

/*
 * Where in plan.code the trampoline of function `index` does what the original
 * instruction at link-time `address` does: a displaced one, or (an address behind those)
 * the jump back. `original` as for plan_finish. False if no displaced instruction starts
 * there.
 */
bool plan_offset_of(const struct plan *plan, uint32_t index, const uint8_t *original,
		    uint64_t address, uint32_t *ret_offset);

/* The function whose trampoline starts at or before the offset; NULL if none does. */
const struct plan_function *plan_function_of(const struct plan *plan,
					     uint32_t code_offset);

/* Whether plan.code has at this offset what a signal's return was led to, and where that
 * one is. */
#endif
