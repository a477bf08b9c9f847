/*
 * The loops of a function, for points F@loop: where each is entered, where it begins
 * anew, and where it is left. Only for list.c.
 */
#ifndef TRAMMEL_PROBE_LOOP_POINTS_H
#define TRAMMEL_PROBE_LOOP_POINTS_H

#include "code/points/points.h"

#include <stdbool.h>
#include <stdint.h>

/* What happens to a loop at a point. */
enum probe_loop_step {
	PROBE_LOOP_NONE, /* it is no point of a loop */
	PROBE_LOOP_ENTER,
	PROBE_LOOP_AGAIN, /* it begins anew */
	PROBE_LOOP_LEAVE, /* here the actions are done */
};

/* The most loops of a function that have points. */
enum { PROBE_LOOPS_MAX = 255 };

/* A place of a loop. */
struct probe_loop_point {
	uint32_t at; /* as struct point has it */
	enum point_where where;
	enum probe_loop_step step;
	uint8_t loop;    /* number in the function */
	uint32_t header; /* offset of the loop's first instruction in the function */
};
struct probe_loop_points VECTOR(struct probe_loop_point);

/* Finds the places of all loops of a function, those of inner loops first. `leaves` tells
 * for an instruction whether it leaves the function; cold parts have no entry. The caller
 * deinits the list. */
void probe_loop_points_find(const struct point_function *function,
			    bool (*leaves)(void *context, uint32_t instruction),
			    void *context, struct probe_loop_points *ret_points);

#endif
