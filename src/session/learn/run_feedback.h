/*
 * What one run counted in a module, and what that teaches of it
 * (code/count/frequencies.h): of edges, if these were counted; of blocks, by their counts
 * or flags; where calls alone were, which functions ran.
 */
#ifndef TRAMMEL_SESSION_LEARN_RUN_FEEDBACK_H
#define TRAMMEL_SESSION_LEARN_RUN_FEEDBACK_H

#include "code/count/frequencies.h"
#include "session/state/session.h"

struct run_feedback_count {
	uint32_t slot;
	uint64_t count;
};

/* What all processes together counted. */
struct run_feedback {
	const struct module_file *file; /* NULL: it is not looked at */
	struct VECTOR(struct run_feedback_count) counts;
	bool unsorted;
	uint64_t *counters; /* by slot */
	uint64_t *sums;     /* by function: of its counts; 0: it did not run */
	uint64_t sum;       /* of all */
};

void run_feedback_begin(struct run_feedback *run, const struct module_file *file);

/* Takes the counts of an image. `lessons` are those of all files of a session, of which
 * some are looked at. */
void run_feedback_take(struct run_feedback *runs, const struct image_run *image);

/* All is taken: fills in what follows from that. */
void run_feedback_end(struct run_feedback *run);

/* Adds what functions with more than `least` counts counted, and returns the sum of these
 * counts. Of functions whose counts contradict each other it adds that they ran. */
uint64_t run_feedback_learn(const struct run_feedback *run, uint64_t least,
			    struct frequencies *frequencies);

/* What ran by its place in relocated code, in bytes. */
struct run_feedback_spread {
	uint64_t code; /* that ran */
	uint64_t lost; /* on the same pages, but did not run: of those that no earlier run
			  had put in front */
};
struct run_feedback_spread run_feedback_spread(const struct run_feedback *run);

void run_feedback_deinit(struct run_feedback *run);

#endif
