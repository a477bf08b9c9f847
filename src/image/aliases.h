/* Other names of functions. */
#ifndef TRAMMEL_IMAGE_ALIASES_H
#define TRAMMEL_IMAGE_ALIASES_H

#include "image/image.h"

/* Another name of a function, as tables of symbols in the file have it. */
struct image_alias {
	uint64_t address;
	char *name; /* demangled */
};

/* Returns the first of the other names of the function at an address, all but
 * `functions.name`; NULL if it has no others. Not thread-safe for one image. */
const struct image_alias *image_aliases(const struct image *image, uint64_t address,
					size_t *ret_count);

#endif
