/*
 * Writing plan.map_rows beside the code that they tell of. An emitter without a plan
 * drops them.
 */
#ifndef TRAMMEL_CODE_RELOCATE_MAP_ROWS_H
#define TRAMMEL_CODE_RELOCATE_MAP_ROWS_H

#include "code/emit/emit.h"

/* A step of `original` bytes, whose code is what was emitted from `from` on. */
void step_add(struct emitter *emitter, enum map_row_kind kind, unsigned original,
	      size_t from);

/* Of a pair of `length` bytes, which is copied as it is: a thread may be behind its
 * branch, or behind the prefix, too. */
void map_row_add_pair(struct emitter *emitter, unsigned length);

/* What comes next has its original so many bytes behind the last one's end. 0: nothing is
 * added. */
void map_row_add_away(struct emitter *emitter, int64_t distance);

#endif
