/* Which points of a function probes want: the first half of a point source. */
#ifndef TRAMMEL_PROBE_LIST_H
#define TRAMMEL_PROBE_LIST_H

#include "code/points/points.h"
#include "probe/program.h"

/* What a point of ours is, in point.recipe. */
struct probe_recipe {
	bool keep; /* what is kept for the function's return is written */
	bool tail; /* PROBE_RETURN: the function is left by a jump, without a result */
	uint16_t probe, point;
	uint8_t operand; /* PROBE_LOAD, PROBE_STORE: of the instruction; PROBE_LOOP: the
			    loop's number */
	uint8_t step;    /* PROBE_LOOP: enum probe_loop_step; else 0 */
	uint32_t header; /* PROBE_LOOP: offset of the loop's first instruction */
};

/* Returns what a point is, of its point.recipe. */
struct probe_recipe probe_recipe_of(uint64_t recipe);

/* Members of struct point_source; `context` is a struct probe_module. */
bool probe_source_wants(void *context, const struct image *image, const char *name,
			uint64_t address);
void probe_source_list(void *context, const struct point_function *function,
		       struct points *ret_points);

#endif
