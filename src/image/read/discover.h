/* The functions of an image, made of all that was read before. */
#ifndef TRAMMEL_IMAGE_READ_DISCOVER_H
#define TRAMMEL_IMAGE_READ_DISCOVER_H

#include "image/read/reader.h"

/* Makes image.functions, cold_parts and untouchable of all that was read. */
void image_discover_functions(struct reader *reader);

#endif
