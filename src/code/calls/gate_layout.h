/*
 * Where in the code of a plan gates and stubs lie (code/calls/gates.h), and what they
 * tell.
 */
#ifndef TRAMMEL_CODE_CALLS_GATE_LAYOUT_H
#define TRAMMEL_CODE_CALLS_GATE_LAYOUT_H

#include "code/plan/plan.h"

enum {
	/* Bytes of a gate's parts. Each function has a gate of what is measured, at the
	 * start. */
	GATES_SITE_SIZE = 112,
	GATES_SPAN_SIZE = 48,
	GATES_GRAPH_SIZE = 240,
	GATES_STUB_SIZE = 16, /* bytes of a stub; those of plan.arcs, at the end */
	GATES_LINK_SIZE = 48, /* the same of plan.links, behind them */
};

/* The parts of a gate, in their order. */
enum gates_part { GATES_SITE, GATES_SPAN, GATES_GRAPH, GATES_PARTS };

/* Bytes of a part; 0: gates of this plan have none. */
uint32_t gates_part_size(const struct plan *plan, unsigned part);

/* Bytes of a gate in front of a part. */
uint32_t gates_part_start(const struct plan *plan, unsigned part);

/* Bytes of a whole gate. */
uint32_t gates_size(const struct plan *plan);

/* Offset in plan.code of a part of a function's gate. */
uint32_t gates_part_of(const struct plan *plan, const struct plan_function *function,
		       enum gates_part part);

/* Link-time address where a function goes on behind a part of its gate. */
uint64_t gates_behind_part(const struct plan *plan, const struct plan_function *function,
			   enum gates_part part);

/* Whether a function has a gate that does more than to count and lead on. Those of
 * goroutines' functions do not: their stacks have no room for it. */
bool gates_has_one(const struct plan *plan, const struct plan_function *function);

/* Whether the gate of a function tells of calls in their contexts. */
bool gates_tell_graph(const struct plan *plan, const struct plan_function *function);

/* Whether the gate of a function tells of calls as spans. */
bool gates_tell_span(const struct plan *plan, const struct plan_function *function);

/* Whether a function begins with a call that leads to its gate. */
bool gates_in_call(const struct plan *plan, const struct plan_function *function);

/* Where in plan.code the entry of an instrumented function leads, or that call. */
uint32_t gates_entrance(const struct plan *plan, const struct plan_function *function);

/* The gate of a function as a link-time address; 0: it has none. */
uint64_t gates_of_hooked(const struct plan *plan, const struct plan_function *function);

/* Where a function that is called at its entry goes on behind the first part of its gate,
 * link-time, if that does nothing but to tell callers apart; 0: it does not. */
uint64_t gates_passed(const struct plan *plan, const struct plan_function *function);

/* Where in plan.code a function goes on that was counted as called from somewhere. */
uint32_t gates_body(const struct plan *plan, const struct plan_function *function);

/* The same as a link-time address, for what has counted the call by itself. */
uint64_t gates_counted(const struct plan *plan, const struct plan_function *function);

/* Where in plan.code the stub of a link begins. */
uint32_t gates_stub_of_link(const struct plan *plan, const struct plan_link *link);

#endif
