/*
 * Spans: calls of chosen functions that somebody is told the begin and the end of. Their
 * gates tell the function's name, which lies in plan.code, and probes in front of their
 * returns that a call ends (code/calls/gates.h).
 *
 * A function may end in a jump to another one, which then returns for it. Where that is
 * known, the other function is relocated as well, and has probes at its returns, though
 * it is no span itself; where it is not, the call ends at the jump. A function of which
 * not all returns can be seen is left alone; or where blocks count beside, it is counted
 * as others are, and no span. Gates of what is no span only lead on there.
 */
#ifndef TRAMMEL_CODE_CALLS_SPANS_H
#define TRAMMEL_CODE_CALLS_SPANS_H

#include "code/builder/plan_builder.h"

/* Chooses what functions that are spans jump to at their ends, too; in front of
 * entry_patches_choose. */
void spans_choose(struct plan_builder *builder);

/* Whether the returns of a function are seen, as far as is known yet. */
bool spans_are_seen(const struct plan_builder *builder, uint32_t index);

/* Marks the jumps of a function whose blocks are in builder->current.cfg at which calls
 * of it end. False if some end unseen. */
bool spans_mark_ends(struct plan_builder *builder);

/* The returns of a function cannot be seen. Those that jump to it have to know. */
void spans_give_up(struct plan_builder *builder, uint32_t index);

/* Writes the names of all functions that have such gates behind plan.code, each with a 0
 * behind it. */
void spans_write_names(struct plan_builder *builder);

/* Where the name of a function is, as a link-time address. */
uint64_t spans_name(const struct plan_builder *builder, uint32_t index);

#endif
