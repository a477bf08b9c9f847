/*
 * Records in a buffer of the thread, in recipes: see code/points/recipe.h.
 *
 * A buffer is 32 bytes in the thread's bank: where the next record goes, from where on
 * none may begin, a word more, and where the last run began. All are 0 at first. Where no
 * record may begin, a routine is called with the address of these words, which makes room
 * by changing them; if it does not, the record is left out.
 *
 * Each record waits for the one in front of it to say where it goes, unless it is one of
 * a run: of points that mostly follow each other, as in a block. Where they do, it is
 * known from the run's start, and there is room; what is in between, in a signal's
 * handler say, is noticed.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_BUFFER_H
#define TRAMMEL_CODE_POINTS_RECIPE_BUFFER_H

#include "code/points/recipe_call.h"

#include <stdint.h>

enum {
	RECIPE_BUFFERS = 8,
	RECIPE_BUFFER_SIZE = 32,
	RECIPE_RECORD_MAX = 64, /* bytes; so many are free in front of the buffer's end */
	RECIPE_RUN_MAX = 512,   /* bytes of a run's records */
};

/* The place of a record in a run. */
struct recipe_run {
	uint16_t index, count; /* of how many; 1: it is alone */
	uint16_t size;         /* bytes of each */
};

/* A record that is being written. */
struct recipe_record {
	uint32_t buffer; /* its number */
	struct recipe_run run;
	int cursor; /* a register with the address of the record */
	int full;   /* label behind it */
};

/* Begins a record: what recipe_store puts at `cursor` is its contents. `routine` makes
 * room; it gets no arguments but the address of the buffer's words. */
void recipe_record_begin(struct recipe *recipe, uint32_t buffer,
			 const struct recipe_routine *routine, struct recipe_run run,
			 struct recipe_record *ret_record);
/* Ends it. */
void recipe_record_end(struct recipe *recipe, const struct recipe_record *record);

#endif
