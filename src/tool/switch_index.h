/*
 * The targets of jumps through tables.
 */
#ifndef TRAMMEL_TOOL_SWITCH_INDEX_H
#define TRAMMEL_TOOL_SWITCH_INDEX_H

#include "base/vector.h"
#include "code/relocate/cfg.h"

#include <stdint.h>

struct switch_targets VECTOR(uint64_t);

/* Adds where a switch may go, each once, in the order of its table. */
void switch_index_targets(const struct cfg *cfg, const struct cfg_instruction *row,
			  struct switch_targets *ret_targets);

/* The one target of an edge by which a switch is left, and its number among all; false:
 * it is no such edge, or it leads out of the function, where several targets may be. */
bool switch_index_of_edge(const struct cfg *cfg, uint32_t edge, uint64_t *ret_target,
			  uint32_t *ret_index);

#endif
