/*
 * How often blocks ran, from samples: the frequencies that conserve flow and under which
 * the samples are likeliest (likely_flow.h), and how much is known of each, by the
 * samples of all blocks that must run equally often.
 *
 * Source: Anderson et al., Continuous profiling: where have all the cycles gone?, ACM
 * TOCS 15 (1997), section 6 (classes of blocks, confidence).
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
