/*
 * Basic-block vectors: what each interval of a run executed, in the form that SimPoint
 * reads: a line for each interval, with the number of each of its blocks and how many
 * instructions were executed in it.
 *
 * Source: SimPoint 3.2, README, "Frequency Vector File"; valgrind's manual, exp-bbv.
 */
#ifndef TRAMMEL_DERIVE_BBV_H
#define TRAMMEL_DERIVE_BBV_H

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* A basic block. Its number in the vectors is its place in the list plus 1. */
struct bbv_block {
	uint32_t module, function; /* numbers in bbv.strings */
	uint64_t address;
	uint64_t instructions; /* of it */
};

/* The executions of a block in an interval. */
struct bbv_entry {
	uint64_t interval;
	uint64_t image;        /* only used until the wanted images are known */
	uint32_t block;        /* in bbv.blocks */
	uint64_t instructions; /* executed */
};

struct bbv_interval {
	uint64_t number, start_ns, end_ns;
};

struct bbv {
	struct string_table strings;
	struct VECTOR(struct bbv_block) blocks;
	struct VECTOR(struct bbv_entry) entries;      /* by interval and block */
	struct VECTOR(struct bbv_interval) intervals; /* by number */
};

/* Selects the part of a profile. */
struct bbv_filter {
	bool one_process;
	uint64_t process;   /* pid, if one_process */
	const char *module; /* glob for the name or path; NULL: all */
};

/* Reads a profile. Errors: those of trm_read; TRM_ERROR_USAGE if it has no intervals,
 * or the selected part has no block counts. ret_warning gets warnings (NULL: none),
 * which the caller frees. On success the caller deinits the result. */
struct trm_error *bbv_init(struct bbv *bbv, const char *path,
			   const struct bbv_filter *filter, char **ret_warning);
void bbv_deinit(struct bbv *bbv);

/* Adds the vectors, one line for each interval, in order; empty intervals are left
 * out. Returns the number of lines. */
size_t bbv_vectors(const struct bbv *bbv, struct text *out);

/* Adds the meaning of the numbers: lines for blocks and for vectors, with fields
 * separated by tabs. See man/trammel-bbv.1.md. */
void bbv_table(const struct bbv *bbv, struct text *out);

#endif
