/*
 * References in a text: every known function is walked instruction by instruction, and
 * every branch, RIP-relative operand and jump table is noted in the map. Where walking
 * fails (data in the text, code that no table lists), each byte that could begin a branch
 * counts as one.
 */
#ifndef TRAMMEL_CODE_SCAN_SCAN_H
#define TRAMMEL_CODE_SCAN_SCAN_H

#include "code/scan/code_map.h"
#include "image/image.h"

enum scan_trait {
	SCAN_CLOSED = 1, /* control never continues behind its last byte */
	SCAN_CONDITIONAL_TAIL =
		2,            /* a conditional branch from elsewhere leads to its entry */
	SCAN_HIDDEN_LOOP = 4, /* an unchangeable reference leads back to the entry from
				 inside: a jump table, an uncertain branch */
	SCAN_INNER = 8,       /* has rows in scan.inner */
	SCAN_MARKED = 16,     /* begins with endbr64 */
	SCAN_WHOLE = 32,      /* decodes from its first to its last byte */
	SCAN_DOUBTFUL = 64, /* only a symbol says that it begins there, and it lies inside
			       of an instruction or nothing leads to it */
	SCAN_BEYOND = 128,  /* a call in it is followed by data, or by code with unknown
			       entries: see code/builder/beyond.h */
};

/* A branch (not a call) from a function's own body or cold part to its entry, or to the
 * instruction behind its endbr64. */
struct scan_branch {
	uint64_t address;  /* of the branch instruction */
	uint32_t function; /* index in image.functions */
	uint8_t length;    /* bytes of the instruction */
	uint8_t width;     /* bytes of its displacement, which ends it: 1 or 4 */
};

/* The possible start of a jump table. */
struct scan_table {
	uint64_t address;
	int64_t function;   /* that uses it; negative: a cold part */
	uint8_t entry_size; /* 4: distances from its start; 8: addresses */
};

/* A function that may set the GS base or selector when it is called: see code/scan/gs.h.
 */
struct scan_doubt {
	uint64_t address;
	uint8_t verdict; /* enum gs_verdict */
};

struct scan {
	struct code_map map;
	uint8_t *traits;      /* enum scan_trait, by function */
	uint8_t *part_traits; /* likewise, by cold part */
	/* Functions that branch into cold parts: cold part << 32 | function. */
	struct VECTOR(uint64_t) owners;
	struct VECTOR(struct scan_branch) inner; /* sorted by function, then address */
	/* Addresses of `call rel32`, and of `jmp rel32` out of functions, nearly sorted.
	 * Where functions overlap, some occur twice, and some are not instructions: see
	 * map.starts. */
	struct VECTOR(uint64_t) calls;
	struct VECTOR(uint64_t) long_calls;  /* of calls with prefixes */
	struct VECTOR(uint64_t) short_jumps; /* of `jmp rel8` out of functions */
	/* Sorted by address: a table ends before the next. */
	struct VECTOR(struct scan_table) tables;
	struct VECTOR(struct scan_doubt) doubts; /* by address */
	bool uses_gs;                            /* some code certainly sets it */
};

/* Bytes of each of scan.calls. */
enum { SCAN_CALL_LENGTH = 5 };

/* Scans an image, which must outlive the scan; functions that no table lists are added to
 * it. `exposed`: map.exposed and scan.tables are needed, by cfg_build. */
void scan_init(struct scan *scan, struct image *image, bool exposed);
void scan_deinit(struct scan *scan);

/* The first row of scan.inner for this function; its rows are contiguous. */
const struct scan_branch *scan_inner_of(const struct scan *scan, uint32_t function);

#endif
