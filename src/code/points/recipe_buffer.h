/*
 * Records in a buffer of the thread, in recipes: see code/points/recipe.h.
 *
 * A buffer is 32 bytes in the thread's bank: where the next record goes, from where on
 * none may begin, and two words more. Both are 0 at first. Where no record may begin, a
 * routine is called with the address of these words, which makes room by changing them;
 * if it does not, the record is left out.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_BUFFER_H
#define TRAMMEL_CODE_POINTS_RECIPE_BUFFER_H

#include "code/points/recipe_call.h"

#include <stdint.h>

enum {
	RECIPE_BUFFERS = 8,
	RECIPE_BUFFER_SIZE = 32,
	RECIPE_RECORD_MAX = 64 /* bytes; so many are free in front of the buffer's end */
};

/* A record that is being written. */
struct recipe_record {
	uint32_t buffer; /* its number */
	int cursor;      /* a register with the address of the record */
	int full;        /* label behind it */
};

/* Begins a record: what recipe_store puts at `cursor` is its contents. `routine` makes
 * room; it gets no arguments but the address of the buffer's words. */
void recipe_record_begin(struct recipe *recipe, uint32_t buffer,
			 const struct recipe_routine *routine,
			 struct recipe_record *ret_record);
/* Ends it, with `size` bytes, at most RECIPE_RECORD_MAX. */
void recipe_record_end(struct recipe *recipe, const struct recipe_record *record,
		       uint32_t size);

#endif
