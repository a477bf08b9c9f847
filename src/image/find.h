/* Look-ups in an open image: functions, links, the build id. */
#ifndef TRAMMEL_IMAGE_FIND_H
#define TRAMMEL_IMAGE_FIND_H

#include "image/image.h"

/* Tells whether `build_id` (hex digits; "": no build id) is the build id of the file. */
bool image_is_build(const struct image *image, const char *build_id);

/* Returns the row of image.links for a word; NULL if it has none. */
const struct image_link *image_link_at(const struct image *image, uint64_t word);

/* Returns the last function that begins at or before the address; NULL if there is
 * none. */
const struct image_function *image_function_around(const struct image *image,
						   uint64_t address);

/* Returns the index of the function that begins at the address; functions.count if
 * there is none. */
size_t image_function_at(const struct image *image, uint64_t address);

/* Finds the address of the first function with this linked name; false if there is
 * none. */
bool image_find_function(const struct image *image, const char *name,
			 uint64_t *ret_address);

#endif
