/*
 * Writing the code of points.
 *
 * It is written several times, until nothing new is learnt of the registers and flags
 * that it needs; and then to the plan, between code that saves and restores these.
 * Registers are saved on the program's stack below the red zone, so that a signal handler
 * may run points in the middle of one, as it may when the tracer is dead; and so may
 * another thread with the same bank.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_WRITE_H
#define TRAMMEL_CODE_POINTS_RECIPE_WRITE_H

#include "code/points/recipe_state.h"

/* What measuring a point's code has found. */
struct recipe_needs {
	uint16_t size; /* bytes */
	uint16_t saved, read;
	bool flags, aside, stack, far;
};

/* Finds out what a point's code needs, as if it were written to `address`. `recipe` is
 * scratch, all 0 at first. Returns enum point_trouble. */
enum point_trouble
recipe_measure(struct recipe *recipe, uint64_t address, const struct recipe_place *place,
	       const struct point_source *source, const struct point_function *function,
	       const struct point *point, struct recipe_needs *ret_needs);

/* Writes the code to the emitter; `recipe` tells where calls end. */
void recipe_write(struct recipe *recipe, struct emitter *emitter,
		  const struct recipe_place *place, const struct point_source *source,
		  const struct point_function *function, const struct point *point,
		  const struct recipe_needs *needs);

void recipe_deinit(struct recipe *recipe);

void recipe_deinit(struct recipe *recipe);

#endif
