/* Bytes of a file, and parts of them. */
#ifndef TRAMMEL_IMAGE_BYTES_H
#define TRAMMEL_IMAGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file, not owned. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

/* Takes `size` bytes from `offset` on; false if it is not all inside. */
bool image_slice(struct bytes bytes, uint64_t offset, uint64_t size,
		 struct bytes *ret_slice);

/* Cuts bytes behind the last 0: each offset in them then starts a whole string. */
struct bytes image_cut_strings(struct bytes bytes);

#endif
