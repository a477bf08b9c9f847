/* Time of each instruction of a function: samples of it, divided by how often it ran. */
#ifndef TRAMMEL_DERIVE_CALC_H
#define TRAMMEL_DERIVE_CALC_H

#include "derive/cycles.h"
#include "derive/frequency.h"

struct calc_options {
	double ghz; /* cycles in a nanosecond, for events that are a clock */
	bool exact; /* counts of blocks are used, where there are some */
};

struct calc_row {
	uint64_t address;
	uint32_t block; /* in cfg.blocks */
	uint8_t length; /* bytes */
	bool first;     /* of its block */
	uint64_t samples;
	double cycles;  /* that they stand for */
	double each;    /* cycles of one execution; 0: it is not known to have run */
	double least;   /* of these, without waiting */
	double stall;   /* cycles in all that it waited beyond that */
	uint8_t causes; /* what they may be for; 0: not known */
};

/* A function's code, without its cold parts. */
struct calc {
	const struct annotation *annotation;
	struct VECTOR(struct calc_row) rows; /* by address */
	struct frequency *blocks;            /* by cfg.blocks */
	double cycles, least;                /* in all: what it took, what it needs */
	double stalls[CYCLES_CAUSES];        /* at most so many for each cause */
	double unexplained;
};

/* Computes all of it. Error (TRM_ERROR_UNSUPPORTED): the function has no graph. The
 * caller deinits it. */
struct trm_error *calc_init(struct calc *calc, const struct annotation *annotation,
			    const struct calc_options *options);
void calc_deinit(struct calc *calc);

/* How near estimates come to exact counts: of the samples, how many are at instructions
 * whose frequency is at most 5, 10 and 15 % off. */
struct calc_check {
	double samples, within[3];
};
extern const unsigned int calc_check_percents[3];

/* Adds a function with counts of blocks to a check. `scaled`: what is checked is how the
 * frequencies relate to each other, not their size, which the clock's rate decides. */
void calc_check_add(struct calc_check *check, const struct calc *estimated, bool scaled);

#endif
