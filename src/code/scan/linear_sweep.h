/*
 * Walks code instruction by instruction. Each step waits for the length of the one
 * before; so two spans are walked at the same time, and no more is done than must be:
 * what is worth a decoding is noted, and decoded afterwards.
 */
#ifndef TRAMMEL_CODE_SCAN_LINEAR_SWEEP_H
#define TRAMMEL_CODE_SCAN_LINEAR_SWEEP_H

#include "base/vector.h"
#include "code/scan/code_map.h"
#include "x86/length.h"

/* All are offsets in the segment. */
struct sweep_span {
	size_t start, end;
	size_t stop; /* how far it decodes; `end` if all of it does */
	size_t last; /* the last instruction before `stop` that is no nop; `stop` if there
			is none */
};

struct linear_sweep {
	uint32_t wanted; /* enum classify: what makes an instruction notable */
	/* Of each byte from `base` on whether a notable instruction starts there, in the
	 * spans walked last. */
	struct VECTOR(uint64_t) notable;
	size_t base; /* offset in the segment, a multiple of 64 */
};

/* Walks spans that are in order and do not meet: sets segment->starts and
 * lanes->notable, and fills in `stop` and `last`. None is empty. */
void linear_sweep_walk(struct linear_sweep *lanes, const struct code_segment *segment,
		       struct sweep_span *spans, size_t count);

void linear_sweep_deinit(struct linear_sweep *lanes);

#endif
