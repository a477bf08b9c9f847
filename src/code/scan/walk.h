/*
 * The parts of scanning: scan.c walks, tables.c reads jump tables and pointers, bytes.c
 * looks at bytes that nobody could decode, gs.c at what may set GS.
 */
#ifndef TRAMMEL_CODE_SCAN_WALK_H
#define TRAMMEL_CODE_SCAN_WALK_H

#include "code/scan/linear_sweep.h"
#include "code/scan/scan.h"

enum { WALK_NO_FUNCTION = -1 };

/* Ranges that are walked together: at most so many, and so many bytes from the first to
 * the last of them. */
enum { WALK_SPANS = 64, WALK_WINDOW = 128 << 10 };

/* A range in which something may set GS: gs.c judges it when all was walked. */
struct gs_suspect {
	uint64_t start, end;
	uint64_t stop; /* up to here it decodes, from its start on */
	uint32_t cold; /* with is_cold: the cold part's index */
	bool is_cold;  /* it is a cold part; else a function */
	bool guessed;  /* nothing tells its size: it may hold functions */
	bool indirect; /* has an indirect jump */
	bool writes;   /* has what looks like an instruction that sets GS */
	bool calls;    /* has calls, of the kernel or others, that may */
};

/* A walk through one function or cold part. */
struct walk {
	struct scan *scan;
	const struct image *image;
	const struct code_segment *segment;
	uint64_t start, end;   /* the range, inside the segment */
	uint64_t entry_behind; /* the instruction behind endbr64, or `start` */
	int64_t function;      /* its index; WALK_NO_FUNCTION in cold parts */
	size_t cold;           /* the cold part's index */
	bool indirect;         /* has an indirect jump */
	/* What may set GS: */
	bool calls_kernel; /* has a system call */
	bool names_gs;     /* has ARCH_SET_GS as the argument of something */
	bool writes_gs;    /* has what looks like an instruction that does */
	struct VECTOR(struct gs_suspect) suspects;
	struct VECTOR(uint64_t) tables; /* what its lea instructions name */
	struct VECTOR(uint32_t)
		local;         /* offsets in the segment that its own branches lead to */
	uint64_t table_budget; /* entries of jump tables still to be read */
	const struct classify_tables *classify;
	struct linear_sweep lanes;
	/* Ranges put by, to be walked together: functions, or cold parts. */
	struct sweep_span spans[WALK_SPANS];
	size_t owner[WALK_SPANS], span_count;
	bool cold_parts;
};

#endif
