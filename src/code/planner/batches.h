/*
 * The functions of a large module are written in batches, by several threads. A batch is
 * written as if it were the first one; then it is known how much code and how many
 * counters and rows the batches in front of it have, and its own are moved behind them.
 * The plan is the same however many threads there are.
 */
#ifndef TRAMMEL_CODE_PLANNER_BATCHES_H
#define TRAMMEL_CODE_PLANNER_BATCHES_H

#include "code/builder/plan_builder.h"

/* Writes all functions, whose rows are there, all 0. False: nothing is written, as that
 * is to be done at once. */
bool batches_write(struct plan_builder *builder);

#endif
