/*
 * Functions that no table knows: neither a symbol nor call-frame information says that
 * they begin there. The start-up code of stripped programs has some, and assembly. They
 * are believed where a call or a jump of code that is known leads to them, and the code
 * between the known functions around them can be understood; else they are left alone.
 */
#ifndef TRAMMEL_CODE_SCAN_FUNCTION_DISCOVERY_H
#define TRAMMEL_CODE_SCAN_FUNCTION_DISCOVERY_H

#include "code/scan/scan.h"

struct discovery VECTOR(struct image_function);

/*
 * Finds them once all functions but those with IMAGE_FUNCTION_SIZE_GUESS were walked:
 * these get their true sizes here where that is possible. `ret_found` is sorted by
 * address, for discovery_add; the caller frees it.
 */
void discovery_find(const struct scan *scan, struct image *image,
		    struct discovery *ret_found);

/* Puts them among the functions of the image, and of the scan. */
void discovery_add(struct scan *scan, struct image *image, const struct discovery *found);

/* The index that function `index` has when these have been added. */
size_t discovery_moved(const struct image *image, const struct discovery *found,
		       size_t index);

/* All that, for an image that is not planned. */
void discovery_complete(struct image *image);

#endif
