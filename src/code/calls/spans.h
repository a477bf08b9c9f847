/*
 * Spans: calls of chosen functions whose beginning and end are reported. Gates report the
 * function's name, which lies in plan.code, and probes in front of returns report the end
 * of the call (code/calls/gates.h).
 *
 * A function may end in a jump to another one, which then returns for it. Where the
 * target is known it is relocated as well and has probes at its returns, though it is no
 * span itself; otherwise the call ends at the jump. A function some of whose returns
 * cannot be seen is left alone; or, where blocks count as well, it is counted like others
 * and is no span. Gates of functions that are no spans only jump on there.
 */
#ifndef TRAMMEL_CODE_CALLS_SPANS_H
#define TRAMMEL_CODE_CALLS_SPANS_H

#include "code/builder/plan_builder.h"

/* Marks the functions that span functions jump to at their ends; before
 * entry_patches_choose. */
void spans_choose(struct plan_builder *builder);

/* Whether all returns of a function are seen, as far as is known yet. */
bool spans_are_seen(const struct plan_builder *builder, uint32_t index);

/* Marks the jumps at which calls of a function end; its blocks are in
 * builder->current.cfg. False if some calls end unseen. */
bool spans_mark_ends(struct plan_builder *builder);

/* Notes that returns of a function cannot be seen, also for functions that jump to it. */
void spans_give_up(struct plan_builder *builder, uint32_t index);

/* Appends the names of all functions with such gates to plan.code, each ended by a 0. */
void spans_write_names(struct plan_builder *builder);

/* Link-time address of the name of a function. */
uint64_t spans_name(const struct plan_builder *builder, uint32_t index);

#endif
