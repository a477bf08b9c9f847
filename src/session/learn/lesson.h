/*
 * What one run counted in a module, and what that teaches of it
 * (code/count/frequencies.h): of edges, if these were counted; of blocks, by their counts
 * or flags; where calls alone were, which functions ran.
 */
#ifndef TRAMMEL_SESSION_LEARN_LESSON_H
#define TRAMMEL_SESSION_LEARN_LESSON_H

#include "code/count/frequencies.h"
#include "session/state/session.h"

struct lesson_count {
	uint32_t slot;
	uint64_t count;
};

/* What all processes together counted. */
struct lesson {
	const struct module_file *file; /* NULL: it is not looked at */
	struct VECTOR(struct lesson_count) counts;
	bool unsorted;
	uint64_t *counters; /* by slot */
	uint64_t *sums;     /* by function: of its counts; 0: it did not run */
	uint64_t sum;       /* of all */
};

void lesson_begin(struct lesson *lesson, const struct module_file *file);

/* Takes the counts of an image. `lessons` are those of all files of a session, of which
 * some are looked at. */
void lessons_take(struct lesson *lessons, const struct image_run *image);

/* All is taken: fills in what follows from that. */
void lesson_end(struct lesson *lesson);

/* Adds what functions with more than `least` counts counted, and returns the sum of these
 * counts. Of functions whose counts contradict each other it adds that they ran. */
uint64_t lesson_learn(const struct lesson *lesson, uint64_t least,
		      struct frequencies *frequencies);

/* What ran by its place in relocated code, in bytes. */
struct lesson_spread {
	uint64_t code; /* that ran */
	uint64_t lost; /* on the same pages, but did not run: of those that no earlier run
			  had put in front */
};
struct lesson_spread lesson_spread(const struct lesson *lesson);

void lesson_deinit(struct lesson *lesson);

#endif
