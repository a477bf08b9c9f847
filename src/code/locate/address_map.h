/*
 * Where a thread is in a function that was relocated whole, from plan.map_rows.
 */
#ifndef TRAMMEL_CODE_LOCATE_ADDRESS_MAP_H
#define TRAMMEL_CODE_LOCATE_ADDRESS_MAP_H

#include "code/plan/position.h"

/* As plan_locate, for a function that has steps; `code_offset` lies behind its
 * trampoline's start. */
struct plan_position address_map_locate(const struct plan *plan,
					const struct plan_function *function,
					uint32_t code_offset);

/* What the first bytes of an instruction say about calls; 0: it is none. */
enum address_map_byte {
	ADDRESS_MAP_PREFIX = 1,
	ADDRESS_MAP_CALL,  /* of rel32 */
	ADDRESS_MAP_GROUP, /* with a ModRM byte whose register field is 2, an indirect one
			    */
};
extern const uint8_t address_map_bytes[256];

/* Whether `size` bytes of code are a call: of rel32, or an indirect one, behind prefixes.
 */
static inline bool address_map_is_call(const uint8_t *code, size_t size)
{
	while (size && address_map_bytes[*code] == ADDRESS_MAP_PREFIX) {
		code++;
		size--;
	}
	if (size < 2 || !address_map_bytes[*code])
		return false;
	return address_map_bytes[*code] == ADDRESS_MAP_CALL || (code[1] >> 3 & 7) == 2;
}

/* Whether bytes that lie at a link-time address are a jump into plan.code, and where it
 * leads there. */
bool plan_jump_leads(const struct plan *plan, uint64_t address,
		     const uint8_t bytes[PLAN_JUMP], uint32_t *ret_offset);

/* Where in plan.code a patch leads that is a jump at a link-time address, be it by
 * another one; false if none begins there. */
bool plan_jump_at(const struct plan *plan, uint64_t address, uint32_t *ret_offset);

/* Whether a call that was copied into plan.code returns to this offset of it, and the
 * link-time address that the original of the call returns to. */
bool plan_return_of(const struct plan *plan, uint32_t code_offset, uint64_t *ret_address);

/* A walk over the steps of a function. */
struct map_walk {
	const struct plan *plan;
	const struct plan_function *function;
	uint32_t index;    /* of the step, from the function's first */
	uint32_t code;     /* offset in plan.code */
	uint64_t original; /* link-time address */
};

/* The same for offsets in order, sooner: each function is walked over once. `walk` is all
 * 0 at first. */
bool plan_next_return_of(struct map_walk *walk, const struct plan *plan,
			 uint32_t code_offset, uint64_t *ret_address);

/*
 * Where in plan.code the instruction at a link-time address was moved to, in a function
 * relocated whole; with `counts` the probes in front of it. False if the original bytes
 * there are good to run: no such function has the address, or the instruction is executed
 * at its own place.
 */
bool plan_moved_to(const struct plan *plan, uint64_t address, bool counts,
		   uint32_t *ret_offset);

#endif
