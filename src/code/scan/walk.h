/*
 * State shared by the parts of scanning: scan.c walks, jump_tables.c reads jump tables
 * and pointers, byte_scan.c searches undecodable bytes, gs.c finds code that may set GS.
 */
#ifndef TRAMMEL_CODE_SCAN_WALK_H
#define TRAMMEL_CODE_SCAN_WALK_H

#include "code/scan/linear_sweep.h"
#include "code/scan/scan.h"

enum { WALK_NO_FUNCTION = -1 };

/* Limits of the ranges that are walked together: their number, and the bytes from the
 * first to the last. */
enum { WALK_SPANS = 64, WALK_WINDOW = 128 << 10 };

/* A range that may set GS: gs.c judges it when all has been walked. */
struct gs_suspect {
	uint64_t start, end;
	uint64_t stop; /* end of the part that decodes */
	uint32_t cold; /* with is_cold: the cold part's index */
	bool is_cold;  /* it is a cold part; else a function */
	bool guessed;  /* its size is not known: it may contain functions */
	bool indirect; /* has an indirect jump */
	bool writes;   /* may have an instruction that sets GS */
	bool calls;    /* has system calls or other calls that may set GS */
};

/* A walk through one function or cold part. */
struct walk {
	struct scan *scan;
	const struct image *image;
	const struct code_segment *segment;
	uint64_t start, end;   /* the range, inside the segment */
	uint64_t entry_behind; /* the instruction behind endbr64, or `start` */
	int64_t function;      /* index; WALK_NO_FUNCTION in cold parts */
	size_t cold;           /* the cold part's index */
	bool indirect;         /* has an indirect jump */
	/* Signs that GS may be set: */
	bool calls_kernel; /* has a system call */
	bool names_gs;     /* has ARCH_SET_GS as an argument */
	bool writes_gs;    /* may have an instruction that sets it */
	struct VECTOR(struct gs_suspect) suspects;
	struct VECTOR(uint64_t) tables; /* addresses in its lea instructions */
	struct VECTOR(uint32_t)
		local;         /* offsets in the segment of targets of its own branches */
	uint64_t table_budget; /* entries of jump tables that may still be read */
	const struct classify_tables *classify;
	struct linear_sweep lanes;
	/* Ranges collected to be walked together: functions, or cold parts. */
	struct sweep_span spans[WALK_SPANS];
	size_t owner[WALK_SPANS], span_count;
	bool cold_parts;
};

#endif
