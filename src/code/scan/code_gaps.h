/*
 * Gaps between known functions, with the facts found about their code, for
 * function_discovery.c.
 */
#ifndef TRAMMEL_CODE_SCAN_CODE_GAPS_H
#define TRAMMEL_CODE_SCAN_CODE_GAPS_H

#include "code/scan/scan.h"

/* Facts about a byte of a gap. */
enum mark {
	MARK_START = 1,   /* an instruction that is executed starts there */
	MARK_INSIDE = 2,  /* the middle of such an instruction */
	MARK_ROOT = 4,    /* a row of gap.roots */
	MARK_SURE = 8,    /* the function of that row is certain, and was explored */
	MARK_BEHIND = 16, /* the instruction executed before it lies in front of it */
};

/* A function in a gap: found, or known without its size. */
struct root {
	uint64_t address;
	int64_t function; /* its index in the image; -1: no table knows it */
};

/* A jump or conditional branch inside of a gap. */
struct hop {
	uint64_t from, to;
	bool jump;
};

/* Code that no function with a certain size covers. */
struct gap {
	uint64_t start, end;
	const struct code_segment *segment;
	uint8_t *marks; /* enum mark, by byte */
	struct VECTOR(struct root) roots;
	struct VECTOR(struct hop) hops;
	bool named;    /* a branch or table leads there */
	bool pointed;  /* a trusted pointer leads there */
	bool indirect; /* an indirect jump may lead anywhere */
	bool bad;      /* it cannot be understood */
	bool distrust; /* pointers to it are not trusted */
};

struct gaps VECTOR(struct gap); /* sorted, disjoint */

static inline const uint8_t *gap_bytes(const struct gap *gap, uint64_t address)
{
	return gap->segment->bytes + (address - gap->segment->address);
}

static inline uint8_t *gap_mark(const struct gap *gap, uint64_t address)
{
	return &gap->marks[address - gap->start];
}

/* Lists the code of all walked ranges that no function with a certain size covers. */
void gaps_init(struct gaps *gaps, const struct scan *scan, const struct image *image);
void gaps_deinit(struct gaps *gaps);

/* The gap that contains the address; NULL if there is none. */
struct gap *gap_at(const struct gaps *gaps, uint64_t address);

/*
 * Whether a function may begin at `address`. Not at `jmp *word`, a stub of the linker for
 * a function elsewhere; nor at code that compilers consider unreachable, which leads to
 * the padding behind.
 */
bool gap_is_entry(const struct gap *gap, uint64_t address);

/* Whether an explored gap is understood; sorts its roots and adds the targets of jumps
 * from other roots. Where a pointer is trusted, all of the gap must be understood. */
bool gap_is_sound(struct gap *gap);

/* The end of the code of root `index`; 0 if it is not contiguous. `ret_limit`: the start
 * of the next root, or the end of the gap. */
uint64_t gap_end_of(const struct gap *gap, size_t index, uint64_t *ret_limit);

#endif
