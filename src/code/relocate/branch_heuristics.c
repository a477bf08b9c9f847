#include "code/relocate/branch_heuristics.h"

/* Compilers lay out what they expect behind the branch. Measured over bench's programs:
 * counters run least often with about this. */
static const float SHARE_AHEAD = 30 / 100.f;
/* Numbers are seldom less than nothing: Ball and Larus, Branch prediction for free, PLDI
 * 1993, opcode heuristic. */
static const float SHARE_NEGATIVE = 16 / 84.f;

enum { SIGN = 8, NO_SIGN = 9 }; /* js, jns: the lowest bits of their codes */

float branch_heuristics_share(const struct cfg *cfg, const struct cfg_edge *edge)
{
	const struct cfg_block *from = &cfg->blocks.items[edge->from];
	const struct cfg_instruction *last =
		&cfg->instructions.items[from->first + from->count - 1];
	bool taken = edge->kind == CFG_EDGE_TAKEN;
	uint8_t condition = last->opcode & 15;
	float share = 1;

	if (last->kind != CFG_CONDITION)
		return 1;
	if (taken && (edge->to == CFG_OUT || edge->to > edge->from))
		share *= SHARE_AHEAD;
	if ((condition == SIGN && taken) || (condition == NO_SIGN && !taken))
		share *= SHARE_NEGATIVE;
	return share;
}
