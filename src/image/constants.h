/* Constant words of a file, as the loader leaves them: in read-only segments, and in
 * data that is made read-only after relocation (PT_GNU_RELRO). */
#ifndef TRAMMEL_IMAGE_CONSTANTS_H
#define TRAMMEL_IMAGE_CONSTANTS_H

#include "image/image.h"

struct image_constant {
	uint64_t value;
	bool address; /* a link-time address, to which the loader adds the load bias */
};

/*
 * The words of 8 bytes from `address` on, `count` at most. Returns how many of them are
 * known: up to the first that is not constant, or that the loader gets from a symbol.
 * Each call goes over the file's relocations.
 */
size_t image_read_constants(const struct image *image, uint64_t address, size_t count,
			    struct image_constant *ret_words);

#endif
