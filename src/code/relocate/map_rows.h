/*
 * Writing plan.map_rows along with the code that they describe. An emitter without a plan
 * drops them.
 */
#ifndef TRAMMEL_CODE_RELOCATE_MAP_ROWS_H
#define TRAMMEL_CODE_RELOCATE_MAP_ROWS_H

#include "code/emit/emit.h"

/* Adds a row for `original` bytes, whose code was emitted from `from` on. */
void map_row_add(struct emitter *emitter, enum map_row_kind kind, unsigned original,
		 size_t from);

/* Adds rows for a pair of `length` bytes (length_is_pair), which is copied unchanged: a
 * thread may also be behind its branch, or behind the prefix. */
void map_row_add_pair(struct emitter *emitter, unsigned length);

/* Notes that the original of the next row begins `distance` bytes behind the end of the
 * last one. Adds nothing if that is 0. */
void map_row_add_away(struct emitter *emitter, int64_t distance);

#endif
