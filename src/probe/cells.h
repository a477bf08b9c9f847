/*
 * The words in which a thread keeps what actions without keys found. All are 0 at first.
 */
#ifndef TRAMMEL_PROBE_CELLS_H
#define TRAMMEL_PROBE_CELLS_H

#include "probe/program.h"

/* Words of an action, from its first on. */
enum probe_cell {
	PROBE_CELL_HITS,   /* how often it was done */
	PROBE_CELL_ERRORS, /* how often not, as a value could not be had */
	PROBE_CELL_LOST,   /* how often its keys or its record had no room */
	PROBE_CELL_VALUE,  /* the sum; for min() and max() the value; see probe_order */
	PROBE_CELL_ROWS,   /* of histograms: the first row */
};

/* Returns the number of rows of a histogram; 0: the action is none. A linear one has one
 * row in front of its bounds and one behind them. */
uint32_t probe_action_rows(const struct probe_action *action);

/* Returns whether the value of an action is a word of its own, of which the largest
 * number counts: see recipe_max and recipe_min. */
bool probe_action_is_extreme(const struct probe_action *action);

/* The order of signed numbers as unsigned ones. */
#define PROBE_ORDER (1ull << 63)

/* Returns the number of words of an action. */
uint32_t probe_action_cells(const struct probe_action *action);

/* Returns the row of a power-of-two histogram for a value: 0 has row 0; from 2 to the
 * power n on, row 1 + n; values below 0 have row 65 + n of their absolute value. */
static inline uint32_t probe_power_row(uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0)
		return 65 + (63 - (uint32_t)__builtin_clzll(-value));
	return value ? 1 + (63 - (uint32_t)__builtin_clzll(value)) : 0;
}

/* Returns the row of a linear histogram for a value. */
static inline uint32_t probe_linear_row(const struct probe_action *action, int64_t value)
{
	uint64_t row;

	if (value < action->low)
		return 0;
	if (value >= action->high)
		return probe_action_rows(action) - 1;
	row = ((uint64_t)value - (uint64_t)action->low) / (uint64_t)action->step;
	return 1 + (uint32_t)row;
}

#endif
