/*
 * Code between known functions, and what was found out about it: for
 * function_discovery.c.
 */
#ifndef TRAMMEL_CODE_SCAN_CODE_GAPS_H
#define TRAMMEL_CODE_SCAN_CODE_GAPS_H

#include "code/scan/scan.h"

/* What is known of a byte of a gap. */
enum mark {
	MARK_START = 1,   /* an instruction that is executed starts there */
	MARK_INSIDE = 2,  /* it is in the middle of one */
	MARK_ROOT = 4,    /* a row of gap.roots */
	MARK_SURE = 8,    /* that row's function is certain, and is explored */
	MARK_BEHIND = 16, /* what is executed before lies in front of it */
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
	bool named;    /* something leads there */
	bool pointed;  /* a pointer to it is believed */
	bool indirect; /* an indirect jump may lead anywhere */
	bool bad;      /* it cannot be understood */
	bool distrust; /* pointers to it are not believed */
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

/* Lists what no function with a certain size covers, of all that were walked. */
void gaps_init(struct gaps *gaps, const struct scan *scan, const struct image *image);
void gaps_deinit(struct gaps *gaps);

/* The gap that holds the address; NULL: none does. */
struct gap *gap_at(const struct gaps *gaps, uint64_t address);

/*
 * Whether a function may begin there. `jmp *word` is a stub of the linker's for one that
 * is elsewhere; and what compilers find that nothing reaches leads to the padding behind.
 */
bool gap_is_entry(const struct gap *gap, uint64_t address);

/* Whether the gap is understood, when it was explored; sorts its roots, and adds those
 * that others jump to. Where a pointer is believed, all of it must be. */
bool gap_is_sound(struct gap *gap);

/* The end of the code of root `index`; 0 if it is not in one piece. `ret_limit`: where
 * the next root or the end of the gap is. */
uint64_t gap_end_of(const struct gap *gap, size_t index, uint64_t *ret_limit);

#endif
