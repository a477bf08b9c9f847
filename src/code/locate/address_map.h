/*
 * The position of a thread in a function that was relocated whole, by plan.map_rows.
 */
#ifndef TRAMMEL_CODE_LOCATE_ADDRESS_MAP_H
#define TRAMMEL_CODE_LOCATE_ADDRESS_MAP_H

#include "code/plan/position.h"

/* Does for a function with an address map what plan_locate does; `code_offset` lies
 * behind the start of its trampoline. */
/* The row of a function whose code contains an offset in plan.code, and the offset where
 * that code begins; false: it lies behind all of them. */
bool address_map_row(const struct plan *plan, const struct plan_function *function,
		     uint32_t code_offset, struct map_row *ret_row, uint32_t *ret_start);

struct plan_position address_map_locate(const struct plan *plan,
					const struct plan_function *function,
					uint32_t code_offset);

/* First bytes of instructions that may be calls; 0: not a call. */
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

/* Whether the bytes at a link-time address are a jump into plan.code; writes the offset
 * to which it leads. */
bool plan_jump_leads(const struct plan *plan, uint64_t address,
		     const uint8_t bytes[PLAN_JUMP], uint32_t *ret_offset);

/* Writes the offset in plan.code to which the jump at a link-time address leads, directly
 * or by another jump; false if no such patch begins there. */
bool plan_jump_at(const struct plan *plan, uint64_t address, uint32_t *ret_offset);

/* Whether a copied call in plan.code returns to this offset; writes the link-time return
 * address of the original call. */
bool plan_return_of(const struct plan *plan, uint32_t code_offset, uint64_t *ret_address);

/* A walk over the address map of a function. */
struct map_walk {
	const struct plan *plan;
	const struct plan_function *function;
	uint32_t index;    /* index of the row, from the function's first */
	uint32_t code;     /* offset in plan.code */
	uint64_t original; /* link-time address */
};

/* Does what plan_return_of does for offsets in ascending order, faster: each function is
 * walked once. `walk` is all 0 at first. */
bool plan_next_return_of(struct map_walk *walk, const struct plan *plan,
			 uint32_t code_offset, uint64_t *ret_address);

/*
 * Finds the offset in plan.code to which the instruction at a link-time address was
 * moved, in a function relocated whole; with `counts`, the offset of the probes in front
 * of it. False if the original bytes there may be run: no such function contains the
 * address, or the instruction is executed at its original address.
 */
bool plan_moved_to(const struct plan *plan, uint64_t address, bool counts,
		   uint32_t *ret_offset);

#endif
