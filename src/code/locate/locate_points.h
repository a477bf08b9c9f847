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

#endif
