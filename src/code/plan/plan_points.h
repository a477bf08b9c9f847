/*
 * The rows of a plan that tell of points: see code/points/points.h.
 */
#ifndef TRAMMEL_CODE_PLAN_PLAN_POINTS_H
#define TRAMMEL_CODE_PLAN_PLAN_POINTS_H

#include "base/vector.h"

#include <stdint.h>

/* Counters of the points of a function: see struct points. */
struct plan_point_slots {
	uint32_t function, first_slot, slot_count;
	uint32_t first_max; /* counters from first_slot + this on are maxima */
	uint32_t source;    /* index of the source */
};

/* A point that has no code. */
struct plan_point_trouble {
	uint64_t address; /* link-time, of its instruction; of an edge, of the branch */
	uint32_t function;
	uint16_t trouble; /* enum point_trouble */
	uint16_t source;
	uint64_t recipe; /* as the point has it */
};

/* An instruction of a point's code that may fault: the thread then goes on elsewhere. */
struct plan_check {
	uint32_t at, then; /* offsets in plan.code */
};

struct plan_points {
	struct VECTOR(struct plan_point_slots) slots; /* by first_slot */
	struct VECTOR(struct plan_point_trouble) troubles;
	struct VECTOR(struct plan_check) checks; /* by `at` */
	/* Counters of the module, by source: see point_source. */
	struct VECTOR(struct plan_point_slots) module;
	uint32_t count; /* points that have code */
};

#endif
