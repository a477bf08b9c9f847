/*
 * The units of an image's debug information. Only for the files of this folder.
 */
#ifndef TRAMMEL_IMAGE_UNITS_H
#define TRAMMEL_IMAGE_UNITS_H

#include "image/dwarf/dwarf.h"
#include "image/image.h"

/* Reads the file of the image, or else its debug file, found by build id or by
 * .gnu_debuglink. Calls `see` for each unit: `unit` is its head in that file with the
 * line table, `root` holds its functions (for a skeleton, the split unit if
 * available). `ret_lack` gets a line about missing debug information, NULL if nothing
 * is missing; the caller frees it. Errors as for image_lines_init. */
struct trm_error *image_each_unit(const struct image *image,
				  void (*see)(void *context, struct dwarf_unit *unit,
					      struct dwarf_unit *root),
				  void *context, char **ret_lack);

enum { UNITS_DEPTH_MAX = 128 }; /* of entries in each other: more is damage */

/* Calls `see` for each entry of a unit that may have code or contain entries with
 * code; `depth` is 0 for the entries of the unit itself. If `see` returns false, the
 * children of the entry are skipped. */
void units_walk(struct dwarf_unit *unit,
		bool (*see)(void *context, const struct dwarf_entry *entry, size_t depth),
		void *context);

/* Tells whether the image has code from `start` to `end`: linkers may drop functions
 * but keep their debug information, at addresses without code. */
bool units_is_code(const struct image *image, uint64_t start, uint64_t end);

/* Sorts items of `size` bytes, each of which begins with a struct image_range. If two
 * overlap, the later one begins where the earlier ends; empty ones are dropped.
 * Returns the number of items kept. */
size_t units_untangle(void *items, size_t count, size_t size);

#endif
