/* What was sampled since the last time becomes a part of a run in the database. */
#ifndef TRAMMEL_DAEMON_PART_H
#define TRAMMEL_DAEMON_PART_H

#include "base/table.h"
#include "daemon/options.h"
#include "sample/sampler.h"

#include <time.h>

/* The run that parts are added to: an hour, or less. */
struct part_run {
	int64_t run;          /* in the database; 0: not there yet */
	time_t start;         /* wall clock */
	uint64_t begin_ns;    /* CLOCK_MONOTONIC */
	struct table numbers; /* of programs in the run, by their kind */
	struct table kept;    /* see struct store_add_options */
	const char *epoch, *label;
	/* A part of which is not known whether it is in the database, or which could not
	 * be written again when that was known: -1, there is none. The transaction's
	 * number as long as it is not known. */
	int doubt_fd;
	char doubt[24];
};

/* Begins another run, from now on; nothing is written. */
void part_run_begin(struct part_run *run);
void part_run_deinit(struct part_run *run);

/* Adds the sums of a sampler to the run, in one transaction, and writes how many numbers
 * that were. On an error nothing was written; if the server's connection ended so that
 * nobody knows, the part is kept apart, and the sampler's sums are cleared. */
struct trm_error *part_save(struct part_run *run, const struct daemon_options *options,
			    struct sampler *sampler, int64_t *ret_numbers);

#endif
