/*
 * The address map of a function that is relocated whole, a row for each instruction.
 */
#ifndef TRAMMEL_CODE_PLAN_MAP_ROW_H
#define TRAMMEL_CODE_PLAN_MAP_ROW_H

#include <stdint.h>

/* What becomes of the instructions of a function that is relocated whole, one step after
 * the other in the order of the code, which is mostly that of the original: see
 * code/relocate/whole.h. */
enum plan_step_kind {
	PLAN_STEP_MOVED,    /* an instruction that the code stands for */
	PLAN_STEP_ORIGINAL, /* one that is executed at its own place; no code */
	PLAN_STEP_PROBE,    /* code alone */
	PLAN_STEP_JUMP,     /* code alone: to the original of the next step, or to the
			       block behind */
	PLAN_STEP_AWAY,     /* nothing: the original of the next step lies so far from the
			       end of the last one's. Several such rows add up */
};

struct plan_step {
	uint16_t kind : 3;
	uint16_t original : 4; /* bytes of the original */
	uint16_t code : 9;     /* bytes in plan.code. Of PLAN_STEP_AWAY these are the
				  upper bits of a number with a sign */
};

enum { PLAN_STEP_FAR = 4095 }; /* the largest distance of one PLAN_STEP_AWAY */

/* From the original of a step to that of the next one. */
static inline int32_t plan_step_original(struct plan_step step)
{
	int32_t distance = step.code << 4 | step.original;

	return step.kind == PLAN_STEP_AWAY ? (distance ^ 0x1000) - 0x1000 : step.original;
}

static inline uint32_t plan_step_code(struct plan_step step)
{
	return step.kind == PLAN_STEP_AWAY ? 0 : step.code;
}

#endif
