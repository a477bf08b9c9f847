/*
 * The rest of a point's code, for a thread that is in the middle of it; and its loads
 * that may fault.
 */
#ifndef TRAMMEL_CODE_LOCATE_LOCATE_POINTS_H
#define TRAMMEL_CODE_LOCATE_LOCATE_POINTS_H

#include "code/plan/plan.h"

/*
 * Writes a copy of the rest of a point's code, from `code_offset` up to `end`, and a jump
 * through the word in front of it, as plan_finish does. `code` are the bytes from
 * `code_offset` on as the program has them: with displacements of its bank. Returns the
 * size; 0 if it does
 * not fit.
 */
size_t plan_finish_point(const struct plan *plan, const uint8_t *code,
			 uint32_t code_offset, uint32_t end, uint64_t address,
			 uint8_t *block, size_t capacity);

/* Where a thread goes on that has faulted at an offset in the code of a point, while it
 * read memory of the program for it; false if that is another fault. */
bool plan_check_at(const struct plan *plan, uint32_t code_offset, uint32_t *ret_then);

/* What the front of a point's code, up to some place, has put on the stack. */
struct plan_point_front {
	uint32_t depth;      /* bytes by which rsp is lower than the program's */
	uint16_t saved;      /* registers, a bit each */
	uint32_t from[16];   /* bytes from the program's rsp down to where each is */
	bool flags;          /* status flags are in rax, as by lahf and seto, or on the
				stack */
	uint32_t flags_from; /* there; 0: in rax */
};

/* Reads the front of a point's code, of which `size` bytes were executed. */
void plan_read_front(const uint8_t *code, size_t size,
		     struct plan_point_front *ret_front);

#endif
