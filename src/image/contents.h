/* What the file has for the link-time addresses of an image. */
#ifndef TRAMMEL_IMAGE_CONTENTS_H
#define TRAMMEL_IMAGE_CONTENTS_H

#include "image/bytes.h"
#include "image/image.h"

/* Returns the bytes that the file has for [address, address + size); NULL if not all are.
 */
const uint8_t *image_bytes_at(const struct image *image, uint64_t address, size_t size);

/* Returns the segment in whose memory an address lies; NULL if there is none. */
const struct image_segment *image_segment_at(const struct image *image, uint64_t address);

/* Returns the bytes from an address to the end of its segment in the file; empty:
 * none. */
struct bytes image_bytes_from(const struct image *image, uint64_t address);

#endif
