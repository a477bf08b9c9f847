/* Checks whether all counts of a profile can be true, by comparing them with the
 * control flow of the code. */
#ifndef TRAMMEL_ANNOTATE_CHECK_H
#define TRAMMEL_ANNOTATE_CHECK_H

#include "annotate/annotation.h"

enum check_kind {
	CHECK_CALLS,  /* called more often than its first block was entered: cannot be */
	CHECK_BEYOND, /* no block of its function: cannot be */
	CHECK_ARCS,   /* called from all call sites more often than called: cannot be */
	CHECK_LACK,   /* the other way round: cannot be */
	CHECK_ENTRY,  /* entered more often than all that leads there: cannot be */
	/* In profiles of edges: */
	CHECK_SOLVED, /* the counters of a function contradict each other: cannot be */
	CHECK_IN,     /* edges lead there more often than it was entered: cannot be */
	CHECK_OUT,    /* the sums of entries and of exits differ: impossible */
	CHECK_LEFT,   /* entered more often than left: threads ended in it, or jumped away
		       */
	CHECK_STAYED, /* entered more often than left: calls in the block did not return
		       */
	CHECK_TWICE,  /* left more often than entered: calls came back twice, in a child,
		       * or had been made when trammel attached */
	CHECK_CAME,   /* entered more often than edges lead there: by a changed context */
};

/* Something that was found. `a` was to be no more than `b`. */
struct check_row {
	enum check_kind kind;
	const struct report_function *function;
	uint64_t address; /* of the block */
	uint64_t a, b;
};

/* A module whose code could not be compared. */
struct check_trouble {
	const struct report_module *module;
	char *reason;
};

struct check {
	size_t functions, blocks, edges, arcs; /* looked at */
	struct VECTOR(struct check_row) rows;  /* faults first; then by difference */
	size_t faults;                         /* rows that cannot be */
	struct VECTOR(struct check_trouble) troubles;
};

/* Checks the selection of a profile, which must outlive the result. The caller deinits
 * it. */
void check_init(struct check *check, const struct report_profile *profile);
void check_deinit(struct check *check);

#endif
