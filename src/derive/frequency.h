/*
 * How often blocks ran, from samples: what takes its least time has as many samples as
 * that time, times how often it ran.
 *
 * Source: Anderson et al., Continuous profiling: where have all the cycles gone?, ACM
 * TOCS 15 (1997), section 6: blocks that must run equally often are a class; of the
 * ratios of samples to least time within a class the lowest ones are of code that did not
 * wait; what flows into a block flows out of it.
 */
#ifndef TRAMMEL_DERIVE_FREQUENCY_H
#define TRAMMEL_DERIVE_FREQUENCY_H

#include "annotate/annotation.h"

enum frequency_confidence {
	FREQUENCY_NONE, /* no samples, and nothing follows */
	FREQUENCY_LOW,
	FREQUENCY_MEDIUM,
	FREQUENCY_HIGH,
	FREQUENCY_EXACT, /* counted */
};
extern const char *const frequency_words[];

/* What is known of a block. */
struct frequency_block {
	uint64_t samples;
	double cycles; /* that they stand for */
	double least;  /* cycles of one execution */
};

struct frequency {
	double count; /* executions */
	uint8_t confidence;
	uint32_t class; /* a number that blocks share if they run equally often */
};

/* Estimates the frequencies of all blocks of an annotated function (which has a graph).
 * `exact`: those that were counted are taken as they are. */
void frequency_estimate(const struct annotation *annotation, bool exact,
			const struct frequency_block *blocks,
			struct frequency *ret_frequencies);

#endif
