/*
 * Records that points of a block write to one buffer, one after the other.
 */
#ifndef TRAMMEL_TOOL_ADDED_RUNS_H
#define TRAMMEL_TOOL_ADDED_RUNS_H

#include "tool/added.h"

/* Finds for each record of a function its place in a run: code/points/recipe_buffer.h.
 * `cfg` NULL: the function's code is not known. */
void added_find_runs(struct added_function *added, const struct cfg *cfg);

#endif
