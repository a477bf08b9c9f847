/*
 * Counts of one run in a module, and the execution frequencies learned from them
 * (code/count/frequencies.h): of edges, if these were counted; of blocks, by their
 * counts or flags; where only calls were counted, which functions ran.
 */
#ifndef TRAMMEL_SESSION_LEARN_RUN_FEEDBACK_H
#define TRAMMEL_SESSION_LEARN_RUN_FEEDBACK_H

#include "code/count/frequencies.h"
#include "session/state/session.h"

struct run_feedback_count {
	uint32_t slot;
	uint64_t count;
};

/* Counts of all processes together. */
struct run_feedback {
	const struct module_file *file; /* NULL: the module is not looked at */
	struct VECTOR(struct run_feedback_count) counts;
	bool unsorted;
	uint64_t *counters; /* by slot */
	uint64_t *sums;     /* by function: the sum of its counts; 0: it did not run */
	uint64_t sum;       /* of all counts */
};

void run_feedback_begin(struct run_feedback *run, const struct module_file *file);

/* Adds the counts of an image. `runs` has one entry for each file of the session; some
 * files are not looked at. */
void run_feedback_take(struct run_feedback *runs, const struct image_run *image);

/* Fills in the fields that follow from all counts, once the last image was added. */
void run_feedback_end(struct run_feedback *run);

/* Adds the counts of functions with more than `least` counts to `frequencies`, and
 * returns the sum of these counts. For functions with contradictory counts it adds
 * only that they ran. */
uint64_t run_feedback_learn(const struct run_feedback *run, uint64_t least,
			    struct frequencies *frequencies);

/* Bytes of relocated code by whether they ran. */
struct run_feedback_spread {
	uint64_t code; /* bytes that ran */
	uint64_t lost; /* bytes on the same pages that did not run, except code that an
			  earlier run had put in front */
};
struct run_feedback_spread run_feedback_spread(const struct run_feedback *run);

void run_feedback_deinit(struct run_feedback *run);

#endif
