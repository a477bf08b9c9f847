/* Program headers, the dynamic section, and where the code is. */
#ifndef TRAMMEL_IMAGE_READ_SEGMENTS_H
#define TRAMMEL_IMAGE_READ_SEGMENTS_H

#include "image/read/reader.h"

/* Reads program headers and the dynamic section. Errors: there is nothing to load. */
struct trm_error *image_read_segments(struct reader *reader);

#endif
