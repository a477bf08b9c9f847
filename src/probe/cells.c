#include "probe/cells.h"

uint32_t probe_action_rows(const struct probe_action *action)
{
	if (action->kind == PROBE_HIST)
		return PROBE_POWER_ROWS;
	if (action->kind != PROBE_LINEAR)
		return 0;
	return (uint32_t)((uint64_t)(action->high - action->low - 1) /
			  (uint64_t)action->step) +
	       3;
}

bool probe_action_is_extreme(const struct probe_action *action)
{
	return !action->key_count &&
	       (action->kind == PROBE_MIN || action->kind == PROBE_MAX);
}

uint32_t probe_action_cells(const struct probe_action *action)
{
	if (action->kind >= PROBE_SET_THREAD)
		return 0;
	return PROBE_CELL_ROWS + (action->key_count ? 0 : probe_action_rows(action));
}
