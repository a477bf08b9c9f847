/* Parts of the code that the program reads. */
#ifndef TRAMMEL_IMAGE_READ_CHECKED_H
#define TRAMMEL_IMAGE_READ_CHECKED_H

#include "image/read/reader.h"

/* Fills in image.checked, and adds it to untouchable; after image_discover_functions. */
void image_find_checked(struct reader *reader);

#endif
