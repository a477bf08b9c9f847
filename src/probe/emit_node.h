/* Code of single values. Only for emit.c. */
#ifndef TRAMMEL_PROBE_EMIT_NODE_H
#define TRAMMEL_PROBE_EMIT_NODE_H

#include "code/points/recipe.h"
#include "probe/module.h"
#include "probe/node.h"

/* What is known while code of a point is written. */
struct probe_emit {
	struct recipe *recipe;
	const struct probe_module *module;
	struct probe_site *site;
	int error;        /* label to which a value leads that cannot be had */
	int frame;        /* register with the address of the call's row; -1: none */
	int loop;         /* at F@loop: the loop's number, whose row that is; else -1 */
	uint16_t operand; /* of the instruction, for loads and stores */
	uint16_t size;    /* of that; 0: not a fixed number */
};

/* Writes code that reads the clock, in ticks, to a register, which it takes and
 * returns. */
int probe_emit_ticks(struct probe_emit *emit);

/* Writes code that finds the address of the call's row again: emit.frame. */
void probe_emit_row(struct probe_emit *emit);

/* Writes code that computes a node to a register, which it takes and returns. */
int probe_emit_node(struct probe_emit *emit, uint32_t node);

/* Writes code that goes on at `label` if a node is true, or, without `when`, is not. */
void probe_emit_branch(struct probe_emit *emit, uint32_t node, bool when, int label);

/* Writes code that takes a register and loads the address of the thread's state, struct
 * wire_probes, but for `area` bytes: loads and stores have emit.module->area added. */
int probe_emit_bank(struct probe_emit *emit);

/* Displacement of a member of struct wire_probes from there. */
#define PROBE_AREA(emit, member)                                                         \
	((int32_t)((emit)->module->area + offsetof(struct wire_probes, member)))

#endif
