/*
 * The functions of a symbol table by names that are unique, as BOLT makes them: a global
 * symbol has its own, and of the local symbols with one name the first by address is
 * "name/1", the second one "name/2", and so on.
 */
#ifndef TRAMMEL_IMAGE_UNIQUE_H
#define TRAMMEL_IMAGE_UNIQUE_H

#include "image/image.h"

struct image_unique {
	uint64_t address;
	const char *name; /* in the image's bytes */
	uint32_t number;  /* of a local symbol; 0: it is global */
	uint64_t size;    /* bytes; 0: nothing tells */
};

/* Symbols in the order of their addresses; at one address global ones first. */
struct image_uniques VECTOR(struct image_unique);

/* Reads .symtab. Error (TRM_ERROR_UNSUPPORTED): it is absent. The image must outlive
 * the result; on success the caller deinits the vector. */
struct trm_error *image_uniques_init(struct image_uniques *uniques,
				     const struct image *image);

/* Returns the first symbol at an address; NULL: none. */
const struct image_unique *image_unique_at(const struct image_uniques *uniques,
					   uint64_t address);

/* Returns the symbol whose function contains an address: the first of those that begin
 * nearest before it; NULL: none, or its last byte is in front of the address. */
const struct image_unique *image_unique_around(const struct image_uniques *uniques,
					       uint64_t address);

#endif
