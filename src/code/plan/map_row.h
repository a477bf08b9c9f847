/*
 * The address map of a function that is relocated whole, a row for each instruction.
 */
#ifndef TRAMMEL_CODE_PLAN_MAP_ROW_H
#define TRAMMEL_CODE_PLAN_MAP_ROW_H

#include <stdint.h>

/* What becomes of the instructions of a function that is relocated whole, one step after
 * the other in the order of the code, which is mostly that of the original: see
 * code/relocate/whole.h. */
enum map_row_kind {
	MAP_ROW_MOVED,    /* an instruction that the code stands for */
	MAP_ROW_ORIGINAL, /* one that is executed at its own place; no code */
	MAP_ROW_PROBE,    /* code alone */
	MAP_ROW_JUMP,     /* code alone: to the original of the next step, or to the
			       block behind */
	MAP_ROW_AWAY,     /* nothing: the original of the next step lies so far from the
			       end of the last one's. Several such rows add up */
};

struct map_row {
	uint16_t kind : 3;
	uint16_t original : 4; /* bytes of the original */
	uint16_t code : 9;     /* bytes in plan.code. Of MAP_ROW_AWAY these are the
				  upper bits of a number with a sign */
};

enum { MAP_ROW_FAR = 4095 }; /* the largest distance of one MAP_ROW_AWAY */

/* From the original of a step to that of the next one. */
static inline int32_t map_row_original(struct map_row step)
{
	int32_t distance = step.code << 4 | step.original;

	return step.kind == MAP_ROW_AWAY ? (distance ^ 0x1000) - 0x1000 : step.original;
}

static inline uint32_t map_row_code(struct map_row step)
{
	return step.kind == MAP_ROW_AWAY ? 0 : step.code;
}

#endif
