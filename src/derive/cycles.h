/*
 * The least time that a block's instructions need: what the busiest unit of a processor
 * needs that begins four of them a cycle, in any order, with two loads and one store;
 * caches always hit, and nothing waits for a result. About that of processors since 2015
 * (A. Fog, Instruction tables); newer ones need less.
 */
#ifndef TRAMMEL_DERIVE_CYCLES_H
#define TRAMMEL_DERIVE_CYCLES_H

#include "annotate/annotation.h"

/* What may have kept an instruction waiting: those that are not impossible. */
enum {
	CYCLES_DATA = 1,      /* d: an operand comes from memory */
	CYCLES_STORE = 2,     /* w: it writes to memory */
	CYCLES_FETCH = 4,     /* i: it begins a line of the instruction cache */
	CYCLES_BRANCH = 8,    /* p: a branch to it may have been mispredicted */
	CYCLES_MULTIPLY = 16, /* m: an operand is a product or quotient */
	CYCLES_FLOAT = 32,    /* f: an operand comes from floating point or vectors */
	CYCLES_ATOMIC = 64,   /* a: it is locked */
	CYCLES_SYSTEM = 128,  /* s: a call, a return, or one of the kernel */
	CYCLES_CAUSES = 8,
};
extern const char cycles_letters[CYCLES_CAUSES + 1];

struct cycles_row {
	double least;   /* its part of the block's least cycles */
	uint8_t causes; /* CYCLES_... */
	bool loads;
};

/* Computes the rows of a block's instructions. `entered`: a branch leads to it. */
void cycles_of_block(const struct annotation *annotation, uint32_t block, bool entered,
		     struct cycles_row *ret_rows);

#endif
