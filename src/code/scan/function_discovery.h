/*
 * Functions that no table knows: neither a symbol nor call-frame information says that
 * they begin there. The start-up code of stripped programs has some, and assembly. They
 * are believed where a call or a jump of code that is known leads to them, and the code
 * between the known functions around them can be understood; else they are left alone.
 */
#ifndef TRAMMEL_CODE_SCAN_FUNCTION_DISCOVERY_H
#define TRAMMEL_CODE_SCAN_FUNCTION_DISCOVERY_H

#include "code/scan/scan.h"

struct unlisted VECTOR(struct image_function);

/*
 * Finds them once all functions but those with IMAGE_FUNCTION_SIZE_GUESS were walked:
 * these get their true sizes here where that is possible. `ret_found` is sorted by
 * address, for unlisted_add; the caller frees it.
 */
void unlisted_find(const struct scan *scan, struct image *image,
		   struct unlisted *ret_found);

/* Puts them among the functions of the image, and of the scan. */
void unlisted_add(struct scan *scan, struct image *image, const struct unlisted *found);

/* The index that function `index` has when these have been added. */
size_t unlisted_moved(const struct image *image, const struct unlisted *found,
		      size_t index);

/* All that, for an image that is not planned. */
void unlisted_complete(struct image *image);

#endif
