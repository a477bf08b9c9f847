/*
 * Functions that no table lists: neither a symbol nor call-frame information says that
 * they begin there. The start-up code of stripped programs has some, and assembly. They
 * are accepted if a call or a jump of known code leads to them, and the code between the
 * known functions around them can be understood; else they are left alone.
 */
#ifndef TRAMMEL_CODE_SCAN_FUNCTION_DISCOVERY_H
#define TRAMMEL_CODE_SCAN_FUNCTION_DISCOVERY_H

#include "code/scan/scan.h"

struct discovery VECTOR(struct image_function);

/*
 * Finds such functions once all functions but those with IMAGE_FUNCTION_SIZE_GUESS were
 * walked: these get their true sizes here, if possible. `ret_found` is sorted by address,
 * for discovery_add; the caller frees it.
 */
void discovery_find(const struct scan *scan, struct image *image,
		    struct discovery *ret_found);

/* Adds them to the functions of the image and of the scan. */
void discovery_add(struct scan *scan, struct image *image, const struct discovery *found);

/* The index of function `index` after discovery_add. */
size_t discovery_moved(const struct image *image, const struct discovery *found,
		       size_t index);

/* Finds and adds them, for an image that is not planned. */
void discovery_complete(struct image *image);

#endif
