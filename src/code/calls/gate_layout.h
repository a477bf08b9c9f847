/*
 * Layout of gates and stubs in the code of a plan (code/calls/gates.h).
 */
#ifndef TRAMMEL_CODE_CALLS_GATE_LAYOUT_H
#define TRAMMEL_CODE_CALLS_GATE_LAYOUT_H

#include "code/plan/plan.h"

enum {
	/* Bytes of a gate's parts. Each function has a gate with the parts that are
	 * measured; gates lie at the start of plan.code. */
	GATES_SITE_SIZE = 112,
	GATES_SPAN_SIZE = 48,
	GATES_GRAPH_SIZE = 240,
	GATES_STUB_SIZE = 16, /* bytes of a stub of plan.arcs, behind all other code */
	GATES_LINK_SIZE = 48, /* bytes of a stub of plan.links, behind those of arcs */
};

/* Parts of a gate, in order. */
enum gates_part { GATES_SITE, GATES_SPAN, GATES_GRAPH, GATES_PARTS };

/* Bytes of a part; 0: gates of this plan do not have it. */
uint32_t gates_part_size(const struct plan *plan, unsigned part);

/* Offset of a part in its gate, in bytes. */
uint32_t gates_part_start(const struct plan *plan, unsigned part);

/* Bytes of a whole gate. */
uint32_t gates_size(const struct plan *plan);

/* Offset in plan.code of a part of a function's gate. */
uint32_t gates_part_of(const struct plan *plan, const struct plan_function *function,
		       enum gates_part part);

/* Link-time address behind a part of a function's gate, where control goes on. */
uint64_t gates_behind_part(const struct plan *plan, const struct plan_function *function,
			   enum gates_part part);

/* Whether a function has a gate that does more than count and jump on. Functions of
 * goroutines do not: their stacks have no room for it. */
bool gates_has_one(const struct plan *plan, const struct plan_function *function);

/* Whether the gate of a function reports calls for the call graph. */
bool gates_tell_graph(const struct plan *plan, const struct plan_function *function);

/* Whether the gate of a function reports calls as spans. */
bool gates_tell_span(const struct plan *plan, const struct plan_function *function);

/* Whether a function begins with a call that leads to its gate. */
bool gates_in_call(const struct plan *plan, const struct plan_function *function);

/* Offset in plan.code of the code that the entry (or that call) of an instrumented
 * function leads to. */
uint32_t gates_entrance(const struct plan *plan, const struct plan_function *function);

/* Link-time address of a function's gate; 0: it has none. */
uint64_t gates_of_hooked(const struct plan *plan, const struct plan_function *function);

/* Link-time address behind the first part of the gate of a function that is called at its
 * entry, if that part only distinguishes callers; 0: it does more. */
uint64_t gates_passed(const struct plan *plan, const struct plan_function *function);

/* Offset in plan.code where a function continues once its call site is counted. */
uint32_t gates_body(const struct plan *plan, const struct plan_function *function);

/* Link-time address where a function continues once the call is counted, for code that
 * counts it by itself. */
uint64_t gates_counted(const struct plan *plan, const struct plan_function *function);

/* Offset in plan.code of the stub of a link. */
uint32_t gates_stub_of_link(const struct plan *plan, const struct plan_link *link);

#endif
