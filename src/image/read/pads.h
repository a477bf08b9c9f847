/* Landing pads of exceptions. */
#ifndef TRAMMEL_IMAGE_READ_PADS_H
#define TRAMMEL_IMAGE_READ_PADS_H

#include "image/read/reader.h"

/* Makes the landing pads of a function targets. `address`: of its exception table in the
 * file; `function`: of the function. Format: Itanium C++ ABI, exception handling tables;
 * gcc's unwind-c.c. */
void image_read_pads(struct reader *reader, uint64_t address, uint64_t function);

#endif
