/*
 * The units of an image's debug information. Only for the files of this folder that read
 * it with libdw.
 */
#ifndef TRAMMEL_IMAGE_UNITS_H
#define TRAMMEL_IMAGE_UNITS_H

#include "image/image.h"

#include <elfutils/libdw.h>

/*
 * Reads the file of the image, or else the debug file of its build id, and has `see` look
 * at each unit: `unit` is its head in that file, `root` where its functions are (of split
 * units in a .dwo file). Errors as for image_lines_init.
 */
struct trm_error *image_each_unit(const struct image *image,
				  void (*see)(void *context, Dwarf_Die *unit,
					      Dwarf_Die *root),
				  void *context);

/*
 * Sorts items of `size` bytes, each of which begins with a struct image_range. Of what
 * two units say of the same code the later one begins where the earlier ends; those of
 * which nothing is left are dropped. Returns how many are kept.
 */
size_t units_untangle(void *items, size_t count, size_t size);

#endif
