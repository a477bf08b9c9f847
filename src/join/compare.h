/*
 * Two profiles compared by any attributes: a number summed up in each for all values of
 * these, and the sums beside each other.
 */
#ifndef TRAMMEL_JOIN_COMPARE_H
#define TRAMMEL_JOIN_COMPARE_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

enum { COMPARE_A, COMPARE_B, COMPARE_SIDES };

struct compare_options {
	const char *by;   /* attributes, with commas between them */
	const char *of;   /* what is summed: see man/trammel-diff.1.md; NULL: the usual */
	double threshold; /* percent of A: a smaller difference is none */
	const char *files[COMPARE_SIDES];
	size_t limit; /* rows of the table; SIZE_MAX: all */
	bool colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

struct compare_row {
	char **keys; /* a text for each attribute; NULL: the records have none */
	bool there[COMPARE_SIDES];
	double sums[COMPARE_SIDES];
};

struct comparison {
	struct VECTOR(char *) names; /* of the attributes */
	const char *of;              /* what was summed */
	bool samples;                /* these are samples: chance plays a part */
	struct VECTOR(struct compare_row) rows; /* that differ, the most first */
	size_t equal;
	double sums[COMPARE_SIDES]; /* of all rows */
	struct text warnings;
};

/* Compares two profiles. Error (TRM_ERROR_USAGE): no record of either has such a number,
 * or the words make no sense; others as for trm_read. The caller deinits the comparison,
 * also after an error. */
struct trm_error *compare_profiles(struct comparison *comparison,
				   const struct compare_options *options);
void comparison_deinit(struct comparison *comparison);

/* Computes how many standard deviations two numbers of samples differ by, if each came by
 * chance. */
double compare_deviations(const struct compare_row *row);

#endif
