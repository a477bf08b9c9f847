/*
 * Code of gates (code/calls/gates.h), in several forms, each a table of instructions.
 */
#ifndef TRAMMEL_CODE_CALLS_GATE_FORMS_H
#define TRAMMEL_CODE_CALLS_GATE_FORMS_H

#include "code/emit/emit.h"

enum gate_form {
	GATE_CELL,       /* compares with a cell; flags are dead */
	GATE_KEEP_FLAGS, /* asks the resident at each call */
	GATE_GRAPH,      /* reports the call and its stack position; flags are dead */
	GATE_GRAPH_KEEP_FLAGS,
	GATE_GRAPH_FREE, /* GATE_GRAPH where rax is dead and the return address is at rsp
			  */
	GATE_SPAN,       /* reports the beginning of a span */
	GATE_PASS,       /* only jumps on */
	GATE_PLAIN,      /* does not distinguish callers */
	GATE_TALLY,      /* GATE_GRAPH of a function whose returns are not seen */
	GATE_TALLY_FREE,
	GATE_FORMS,
};

/* Parameters of a gate, beside its form. */
struct gate {
	enum gate_form form;
	uint32_t number; /* of the function */
	uint32_t slot;   /* displacement in the bank of its counters, without the module's
			    own */
	uint32_t routine; /* displacement in the bank of the address that it calls */
	uint32_t depth;   /* bytes from rsp to the return address */
	const struct plan_graph_layout *graph; /* NULL: only call sites matter */
	uint64_t name; /* link-time address of the function's name, reported instead of
			  its counters; 0: not reported */
	uint64_t original, target;
};

/* Writes a gate, with marks of kind PLAN_POSITION_PROBE until it has counted, then
 * PLAN_POSITION_START. */
void gate_emit(struct emitter *emitter, const struct gate *gate);

/* The form of the gate at `code`; `returns`: returns of its function are seen. */
enum gate_form gate_form_at(const uint8_t *code, bool returns);

/* The depth (struct gate) of a gate that reports calls. */
uint32_t gate_depth(const uint8_t *code);

#endif
