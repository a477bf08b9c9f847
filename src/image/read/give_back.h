/* Pages of the files that are read. */
#ifndef TRAMMEL_IMAGE_READ_GIVE_BACK_H
#define TRAMMEL_IMAGE_READ_GIVE_BACK_H

#include "image/read/reader.h"

/* Once in so many entries of a large table. */
enum { GIVE_BACK_EVERY = 1 << 12 };

/* Gives back what was read of files so far, if the reader is to take little memory: what
 * is touched again comes from the kernel's cache. */
void image_give_back(const struct reader *reader);

#endif
