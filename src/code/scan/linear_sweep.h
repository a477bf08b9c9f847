/*
 * Linear sweep: walks code instruction by instruction. Each step waits for the length of
 * the instruction before, so two spans are walked at the same time, and as little as
 * possible is done: notable instructions are recorded, and decoded afterwards.
 */
#ifndef TRAMMEL_CODE_SCAN_LINEAR_SWEEP_H
#define TRAMMEL_CODE_SCAN_LINEAR_SWEEP_H

#include "base/vector.h"
#include "code/scan/code_map.h"
#include "x86/length.h"

/* A range to walk; all are offsets in the segment. */
struct sweep_span {
	size_t start, end;
	size_t stop; /* end of the part that decodes; `end` if all does */
	size_t last; /* the last instruction before `stop` that is no nop; `stop` if there
			is none */
};

struct linear_sweep {
	uint32_t wanted; /* enum classify: the bits that make an instruction notable */
	/* By byte from `base` on: a notable instruction starts there, in the spans walked
	 * last. */
	struct VECTOR(uint64_t) notable;
	size_t base; /* offset in the segment, a multiple of 64 */
};

/* Walks sorted, disjoint, non-empty spans: sets segment->starts and lanes->notable, and
 * fills in `stop` and `last`. */
void linear_sweep_walk(struct linear_sweep *lanes, const struct code_segment *segment,
		       struct sweep_span *spans, size_t count);

void linear_sweep_deinit(struct linear_sweep *lanes);

#endif
