/*
 * The code of gates (code/calls/gates.h): one of some forms, each a table of
 * instructions.
 */
#ifndef TRAMMEL_CODE_CALLS_GATE_FORMS_H
#define TRAMMEL_CODE_CALLS_GATE_FORMS_H

#include "code/emit/emit.h"

enum gate_form {
	GATE_CELL,       /* compares with a cell; flags are dead */
	GATE_KEEP_FLAGS, /* asks the resident each time */
	GATE_GRAPH, /* tells of the call and its place on the stack; flags are dead */
	GATE_GRAPH_KEEP_FLAGS,
	GATE_GRAPH_FREE, /* GATE_GRAPH where rax is dead, and the return address at rsp */
	GATE_SPAN,       /* tells that a span begins */
	GATE_PASS,       /* leads on */
	GATE_PLAIN,      /* callers are not told apart */
	GATE_TALLY,      /* GATE_GRAPH of a function whose returns are not seen */
	GATE_TALLY_FREE,
	GATE_FORMS,
};

/* What a gate depends on beside its form. */
struct gate {
	enum gate_form form;
	uint32_t number;  /* of the function */
	uint32_t slot;    /* displacement in the bank of what it counts with, without the
			     module's own */
	uint32_t routine; /* the same of the address that it calls */
	uint32_t depth;   /* bytes from rsp to the return address */
	const struct plan_graph_layout *graph; /* NULL: only the places matter */
	uint64_t name; /* link-time address of the function's name, which is told instead
			  of what it counts with; 0: it is not */
	uint64_t original, target;
};

/* Writes it, with marks of kind PLAN_POSITION_PROBE until it has counted, then
 * PLAN_POSITION_START. */
void gate_emit(struct emitter *emitter, const struct gate *gate);

/* The form of the gate that begins with these bytes; `returns`: those of its function are
 * seen. */
enum gate_form gate_form_at(const uint8_t *code, bool returns);

/* The depth of one that tells of calls. */
uint32_t gate_depth(const uint8_t *code);

#endif
