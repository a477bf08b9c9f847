/*
 * The address map of a function that is relocated whole, a row for each instruction.
 */
#ifndef TRAMMEL_CODE_PLAN_MAP_ROW_H
#define TRAMMEL_CODE_PLAN_MAP_ROW_H

#include <stdint.h>

/* How an instruction of a function is relocated. Rows are in the order of the code, which
 * is mostly that of the original: see code/relocate/whole.h. */
enum map_row_kind {
	MAP_ROW_MOVED,    /* an instruction, replaced by the code */
	MAP_ROW_ORIGINAL, /* an instruction that is executed at its original address; no
			     code */
	MAP_ROW_PROBE,    /* code alone */
	MAP_ROW_JUMP,     /* code alone: a jump to the original of the next row, or to the
			     next block */
	MAP_ROW_AWAY,  /* nothing: distance from the end of the last row's original to the
			  next row's. Several such rows add up */
	MAP_ROW_POINT, /* code alone, of a point: see code/points/points.h. Its `original`
			  has enum map_row_point instead */
	MAP_ROW_PATH,  /* code alone: a probe of paths, as code/emit/path_probe.h has
			  them, */
	MAP_ROW_PATH_EDGE, /* and one that only the edge from the block in front passes */
};

/* Flags of a MAP_ROW_POINT. One with less than MAP_ROW_CODE_MAX bytes of code with which
 * another goes on, and without MAP_POINT_CALLS, ends with a call of a routine, too; but a
 * thread in it can be taken back to the start of the point. */
enum map_row_point {
	MAP_POINT_MORE = 1, /* goes on with the point of the row in front */
	MAP_POINT_CALLS =
		2, /* ends with a call of a routine, which takes place elsewhere */
	MAP_POINT_EDGE = 4, /* on the way into the next block, not on all ways to it */
	MAP_POINT_PIECE =
		8, /* in code of an edge, behind which a jump leads to `original` */
};

struct map_row {
	uint16_t kind : 3;
	uint16_t original : 4; /* bytes of the original */
	uint16_t code : 9;     /* bytes in plan.code. For MAP_ROW_AWAY the upper bits of a
				  signed number */
};

enum { MAP_ROW_CODE_MAX = 511 }; /* bytes of code of a row */
enum { MAP_ROW_FAR = 4095 };     /* the largest distance of one MAP_ROW_AWAY */

/* Bytes from the original of a row to that of the next. */
static inline int32_t map_row_original(struct map_row step)
{
	int32_t distance = step.code << 4 | step.original;

	if (step.kind == MAP_ROW_POINT)
		return 0;
	return step.kind == MAP_ROW_AWAY ? (distance ^ 0x1000) - 0x1000 : step.original;
}

static inline uint32_t map_row_code(struct map_row step)
{
	return step.kind == MAP_ROW_AWAY ? 0 : step.code;
}

#endif
