/*
 * Writing the code of one function into a plan, and its row: relocated whole, or its
 * entry alone.
 */
#ifndef TRAMMEL_CODE_PLANNER_WRITE_ROW_H
#define TRAMMEL_CODE_PLANNER_WRITE_ROW_H

#include "code/builder/plan_builder.h"

struct trampoline;

/* The hook of a function that reads return addresses; 0 if it needs none. */
uint8_t builder_ra_hook(struct plan_builder *builder, uint32_t index);

/* Writes function `index`, whose row is all 0 but for `place`. */
void builder_write_row(struct plan_builder *builder, uint32_t index);

/* Appends a trampoline to plan.code; on failure plan.code is unchanged. Writes the
 * address of its displaced instructions to `ret_start`. */
enum plan_reason builder_write_trampoline(struct plan_builder *builder,
					  const struct trampoline *trampoline,
					  uint64_t *ret_start);

/* Writes functions [first, end), whose rows of plan.functions exist and are all 0. */
void builder_write(struct plan_builder *builder, uint32_t first, uint32_t end);

#endif
