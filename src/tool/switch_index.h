/*
 * The targets of jumps through tables, and the number of that which is taken.
 */
#ifndef TRAMMEL_TOOL_SWITCH_INDEX_H
#define TRAMMEL_TOOL_SWITCH_INDEX_H

#include "base/vector.h"
#include "code/relocate/cfg.h"

#include <stdint.h>

struct recipe;
struct switch_targets VECTOR(uint64_t);

/* Adds where a switch may go, each once, in the order of its table. */
void switch_index_targets(const struct cfg *cfg, const struct cfg_instruction *row,
			  struct switch_targets *ret_targets);

/* Loads the number of the target of the switch, an instruction of the graph, among these:
 * by comparing it with them. Fails for other instructions, and for too many targets. */
void switch_index_load(struct recipe *recipe, int to, const struct cfg *cfg,
		       uint32_t number);

/* Most targets that are told apart. */
enum { SWITCH_TARGETS_MAX = 60 };

#endif
