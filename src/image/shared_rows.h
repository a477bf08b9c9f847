/* The lines of a file's code, read once for all who need them at the same time. */
#ifndef TRAMMEL_IMAGE_SHARED_ROWS_H
#define TRAMMEL_IMAGE_SHARED_ROWS_H

#include "image/lines.h"

/* Returns the lines of all code of an image, as image_rows_init reads them, or as they
 * were read for another image of the same file; NULL if there are none. The caller gives
 * them back. Thread-safe. */
const struct image_rows *shared_rows_get(const struct image *image);

/* Gives lines back; NULL is allowed. */
void shared_rows_give_back(const struct image_rows *rows);

#endif
