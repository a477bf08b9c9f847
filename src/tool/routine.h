/*
 * What a routine of a tool may change, by its code: what points that call it must keep.
 */
#ifndef TRAMMEL_TOOL_ROUTINE_H
#define TRAMMEL_TOOL_ROUTINE_H

#include "code/points/recipe_call.h"

struct image;

/*
 * Looks at a routine of a tool, by its linked name, with all functions of the tool's own
 * that it calls: all instructions that can be reached. Where a call or jump leads
 * elsewhere, or to a place that is not known, everything may change. Registers count that
 * are changed at all, those that are restored later too: a routine that fails does not
 * get there. The result's `word` is 0.
 */
struct recipe_routine routine_inspect(const struct image *image, const char *name);

#endif
