/*
 * Functions that look at return addresses: those with __builtin_return_address, setjmp
 * and its kin, code that follows frame pointers. Where calls are made in relocated code
 * (code/relocate/whole.h), return addresses lie there, too, and these functions must be
 * given the original ones first.
 */
#ifndef TRAMMEL_CODE_SCAN_RA_READERS_H
#define TRAMMEL_CODE_SCAN_RA_READERS_H

#include "base/vector.h"
#include "image/image.h"

#include <stdint.h>

enum ra_reader {
	RA_READER_NONE,
	RA_READER_OWN,      /* it reads its own return address */
	RA_READER_STACK,    /* it follows frames, or may do so */
	RA_READER_UNWINDER, /* the same, and is known by its name */
};

/* Indices of functions that may do more with their return addresses than to return
 * there: code/scan/return_use.h tells of each. */
struct ra_readers_suspects VECTOR(uint32_t);

/*
 * enum ra_reader of each function of the image, on the heap: by index. Adds to
 * `suspects`.
 *
 * Functions are read from their first to their last instruction, with the depth of the
 * stack kept track of; what a branch leads to has the depth of the branch. A function
 * that moves the stack pointer in a way that cannot be followed is read on with the
 * depth that it had: compilers address their frames by rbp then, which is followed, too.
 * Cold parts are read as far as branches of their functions lead.
 */
uint8_t *ra_readers_find(const struct image *image, struct ra_readers_suspects *suspects);

/* Adds those to `suspects` that show it in their first instructions: what can be known
 * of a whole image soon. */
void ra_readers_suspect(const struct image *image, struct ra_readers_suspects *suspects);

/* The same in pieces: first those that names tell or that begin with a call, and then,
 * where it is to be known, one function with its cold parts. Rows of these are left to
 * the caller. Whether the function is suspect. */
uint8_t *ra_readers_find_first(const struct image *image);
bool ra_readers_read(const struct image *image, uint32_t index, uint8_t *readers);

/* Whether the image has an unwinder, which starts with its own frames. */
bool ra_readers_have_unwinder(const struct image *image, const uint8_t *readers);

#endif
