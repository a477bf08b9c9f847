/* Warnings about the file, and the limit of work that a file may cause. */
#ifndef TRAMMEL_IMAGE_READ_WARN_H
#define TRAMMEL_IMAGE_READ_WARN_H

#include "image/read/reader.h"

/* Adds a warning to the image; all but the first few are dropped. */
void image_warn(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes from the budget; false, with a warning, when it is used up. */
bool image_spend(struct reader *reader, uint64_t amount);

#endif
