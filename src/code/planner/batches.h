/*
 * Writing the functions of a large module in batches, by several threads. A batch is
 * written as if it were the first; when the amounts of code, counters and rows in front
 * of it are known, its own are moved behind them. The plan does not depend on the number
 * of threads.
 */
#ifndef TRAMMEL_CODE_PLANNER_BATCHES_H
#define TRAMMEL_CODE_PLANNER_BATCHES_H

#include "code/builder/plan_builder.h"

/* Writes all functions, whose rows exist and are all 0. False, with nothing written, if
 * the plan is to be written in one piece. */
bool batches_write(struct plan_builder *builder);

#endif
