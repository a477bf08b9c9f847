/* Differences between two profiles, A and B. Functions are matched by their names and
 * the file names of their modules, since builds move and functions move inside of
 * them; functions of one name in modules of one name are counted together. A function
 * without a name is known by its address, which reports show as its name. */
#ifndef TRAMMEL_REPORT_DIFF_DIFF_H
#define TRAMMEL_REPORT_DIFF_DIFF_H

#include "base/text.h"
#include "report/profile.h"

enum { DIFF_A, DIFF_B, DIFF_SIDES };

enum diff_by {
	DIFF_BY_FUNCTION,
	DIFF_BY_MODULE,
	DIFF_BY_PROGRAM,
	DIFF_BY_BLOCK,
	DIFF_BY_EDGE,
	DIFF_BY_ARC,
	/* see report/diff/records.h */
	DIFF_BY_TOOL,
	DIFF_BY_PROBE
};
enum diff_sort {
	DIFF_SORT_DIFFERENCE,
	DIFF_SORT_RATIO,
	DIFF_SORT_NAME,
	DIFF_SORT_MODULE,
	DIFF_SORT_INSTRUCTIONS
};

struct diff_options {
	enum diff_by by;
	enum diff_sort sort;
	const char *module; /* glob for the name or path; NULL: all */
	double threshold; /* percent of A, from 0; rows with a smaller difference count as
			     equal */
	const char *files[DIFF_SIDES];
	size_t limit; /* rows of the table; SIZE_MAX: all */
	bool colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

struct diff_row {
	char *module; /* "" where rows are programs */
	char *name;   /* of the function or program; "" where rows are modules. Of a
			 block: function+0x12; of an edge: function+0x12 -> +0x34, by
			 its blocks; of an arc: caller -> callee */
	/* Number of calls of functions, executions of blocks, or passes of edges; in
	 * coverage profiles, number of executed functions. */
	uint64_t calls[DIFF_SIDES];
	uint64_t instructions[DIFF_SIDES]; /* executed, if diff.blocks */
	bool uncounted; /* but not in all of a function's calls: they say nothing */
};

struct diff {
	const struct report_profile *sides[DIFF_SIDES];
	struct VECTOR(struct diff_row) rows; /* the differing rows, sorted */
	size_t equal;                        /* rows that do not */
	uint64_t calls[DIFF_SIDES];          /* of all rows */
	uint64_t instructions[DIFF_SIDES];
	bool blocks;  /* both sides have counts of blocks */
	bool samples; /* both sides have samples and no counts: these are `calls` */
};

/* Compares two profiles, which must outlive the result. Error (TRM_ERROR_USAGE): one has
 * calls and the other one coverage, no module matches, or counts of
 * blocks, edges or arcs are wanted that one of them lacks. */
struct trm_error *report_diff(const struct report_profile *a,
			      const struct report_profile *b,
			      const struct diff_options *options, struct diff *ret_diff);
/* Frees the rows. */
void report_diff_deinit(struct diff *diff);

#endif
