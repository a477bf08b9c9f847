/* Address maps of functions relocated whole. */
#ifndef TRAMMEL_WIRE_WAYS_H
#define TRAMMEL_WIRE_WAYS_H

#include <stdint.h>

/*
 * Address maps of functions relocated whole: behind a module's trampolines. A signal
 * handler that saw the original address returns by them (resident.S, returns). Rows are
 * sorted by address. Rows and steps are equal in all processes, and may be a file's.
 */
struct wire_way {
	uint64_t address; /* of the function, link-time */
	uint32_t size;    /* bytes */
	uint32_t code;    /* offset of its code from wire_ways.code */
	uint32_t first_map_row, map_row_count;
	uint32_t by_code; /* of the row at i: index of the row that is number i in the
			     order of code */
	uint32_t pad_;
};
struct wire_ways {
	uint64_t bias; /* run-time minus link-time address */
	uint64_t code; /* address of the module's trampolines */
	uint64_t count;
	int64_t rows, steps; /* offsets from here to the first ones */
};
/* Equal to struct map_row of code/plan/map_row.h, which may not know of this file. */
struct wire_step {
	uint16_t kind : 3;
	uint16_t original : 4;
	uint16_t code : 9;
};
#define WIRE_STEP_MOVED 0
#define WIRE_STEP_AWAY  4
#define WIRE_STEP_POINT 5
#define WIRE_STEP_PATH  6

/* Bytes from a step to the next one, in the original and in the code. */
static inline int32_t wire_step_original(struct wire_step step)
{
	int32_t distance = step.code << 4 | step.original;

	if (step.kind == WIRE_STEP_POINT)
		return 0;
	return step.kind == WIRE_STEP_AWAY ? (distance ^ 0x1000) - 0x1000 : step.original;
}

static inline uint32_t wire_step_code(struct wire_step step)
{
	return step.kind == WIRE_STEP_AWAY ? 0 : step.code;
}

static inline const struct wire_way *wire_ways_rows(const struct wire_ways *ways)
{
	return (const struct wire_way *)((uintptr_t)ways + (uintptr_t)ways->rows);
}

static inline const struct wire_step *wire_ways_steps(const struct wire_ways *ways)
{
	return (const struct wire_step *)((uintptr_t)ways + (uintptr_t)ways->steps);
}

#endif
