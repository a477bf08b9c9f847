/*
 * Files that are not where they were when they were measured: another host's, or another
 * build's by now. Reports set who finds them by their build id; nobody else looks.
 */
#ifndef TRAMMEL_IMAGE_LOOKUP_H
#define TRAMMEL_IMAGE_LOOKUP_H

#include "base/error.h"
#include "image/image.h"

#include <stdint.h>

enum image_found_part {
	IMAGE_PART_FILE,
	IMAGE_PART_SYMBOLS, /* the separate debug file that the measuring host had, whose
			       functions were measured */
	IMAGE_PART_DEBUG,   /* any separate debug file */
};

/* Finds a part of a file by the build id (hex digits) and the path that it had. Returns a
 * path, which the caller frees; NULL: it is not to be had. */
typedef char *image_finder(const char *build_id, const char *path,
			   enum image_found_part part);

/* Sets who finds files from now on; NULL: nobody. Not while others open files. */
void image_finder_set(image_finder *finder);

/* As the finder; NULL without one. */
char *image_lookup(const struct image *image, enum image_found_part part);

/* Opens the file at `path` if its build id is `build_id` (hex digits; "": it has none),
 * else the one that is found by it. TRM_ERROR_FORMAT: it is another build. */
struct trm_error *image_open_build(const char *path, const char *build_id,
				   struct image **ret_image);

enum { IMAGE_BUILD_ID_TEXT = 65 };

/* Writes the build id of the ELF file at a path as hex digits, "" if it has none; false
 * if it is no ELF file. */
bool image_file_build_id(const char *path, char ret_id[IMAGE_BUILD_ID_TEXT]);

/* Returns the path of the separate debug file of the file at `path`, as it is on this
 * host; NULL: there is none. The caller frees it. */
char *image_debug_file_of(const char *path);

#endif
