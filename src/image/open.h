/* Opening an image: reads all that struct image has. */
#ifndef TRAMMEL_IMAGE_OPEN_H
#define TRAMMEL_IMAGE_OPEN_H

#include "base/error.h"
#include "image/image.h"

/* Reads the file at `path`. Names come, in this order, from .symtab, .dynsym, the
 * separate debug file of its build id (/usr/lib/debug/.build-id/xx/yyyy.debug),
 * .gnu_debugdata. `display_path` is used in messages and image.path (NULL: `path`),
 * since `path` may be a /proc link. Errors: TRM_ERROR_SYSTEM cannot be read,
 * TRM_ERROR_FORMAT not an ELF file or damaged beyond use, TRM_ERROR_UNSUPPORTED
 * another machine, class or kind of file. */
struct trm_error *image_open(const char *path, const char *display_path,
			     struct image **ret_image);

/* Reads an image from bytes in memory, which must outlive it; does not look for a
 * debug file. */
struct trm_error *image_open_memory(const void *bytes, size_t size,
				    struct image **ret_image);

/* Reads an image from a file that is mapped already; looks for the debug file of
 * `path`. */
struct trm_error *image_open_mapped(const void *bytes, size_t size, const char *path,
				    struct image **ret_image);

/* Addresses whose code is to be named: sorted. */
struct image_wanted {
	const uint64_t *addresses;
	size_t count;
};

/* Likewise, but reads only functions, cold parts and their names, in little memory: what
 * is known of other code is missing. `is_file`: the bytes are a mapping of the file that
 * nobody writes to, whose pages are given back while it is read. `wanted`: only the
 * functions and parts that are around these are wanted; NULL: all. */
struct trm_error *image_open_names(const void *bytes, size_t size, const char *path,
				   bool is_file, const struct image_wanted *wanted,
				   struct image **ret_image);

/* Frees the image; NULL is allowed. */
void image_close(struct image *image);

#endif
