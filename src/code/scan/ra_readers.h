/*
 * Functions that read return addresses: those with __builtin_return_address, setjmp and
 * its kin, code that follows frame pointers. Where calls are copied into relocated code
 * (code/relocate/whole.h), return addresses lie there, too, and these functions must get
 * the original ones.
 */
#ifndef TRAMMEL_CODE_SCAN_RA_READERS_H
#define TRAMMEL_CODE_SCAN_RA_READERS_H

#include "base/vector.h"
#include "image/image.h"

#include <stdint.h>

enum ra_reader {
	RA_READER_NONE,
	RA_READER_OWN,      /* reads its own return address */
	RA_READER_STACK,    /* follows frames, or may do so */
	RA_READER_UNWINDER, /* follows frames, and is known by its name */
};

/* Indices of functions that may use their return addresses otherwise than to return:
 * code/scan/return_use.h decides. */
struct ra_readers_suspects VECTOR(uint32_t);

/*
 * Finds enum ra_reader for each function of the image, by index; on the heap. Adds to
 * `suspects`.
 *
 * Functions are read from their first to their last instruction, tracking the depth of
 * the stack; the target of a branch has the depth of the branch. In a function that moves
 * the stack pointer in an untrackable way, reading goes on with the last depth: compilers
 * address their frames by rbp then, which is tracked, too. Cold parts are read as far as
 * branches of their functions lead.
 */
uint8_t *ra_readers_find(const struct image *image, struct ra_readers_suspects *suspects);

/* Adds functions to `suspects` whose first instructions give them away: a quick test for
 * a whole image. */
void ra_readers_suspect(const struct image *image, struct ra_readers_suspects *suspects);

/* Find readers piecewise: ra_readers_find_first by names and for functions that begin
 * with a call; ra_readers_read for one function with its cold parts, whose rows the
 * caller fills in. Returns whether the function is a suspect. */
uint8_t *ra_readers_find_first(const struct image *image);
bool ra_readers_read(const struct image *image, uint32_t index, uint8_t *readers);

/* Whether the image has an unwinder, which starts with its own frames. */
bool ra_readers_have_unwinder(const struct image *image, const uint8_t *readers);

#endif
