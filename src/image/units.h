/*
 * The units of an image's debug information. Only for the files of this folder.
 */
#ifndef TRAMMEL_IMAGE_UNITS_H
#define TRAMMEL_IMAGE_UNITS_H

#include "image/dwarf/dwarf.h"
#include "image/image.h"

/*
 * Reads the file of the image, or else its debug file: that of its build id, or what its
 * .gnu_debuglink names. Has `see` look at each unit: `unit` is its head in that file with
 * the line table, `root` where its functions are (of a skeleton, the split unit if it is
 * there). `ret_lack` gets a line about what is missing of the debug information, NULL if
 * nothing is; the caller frees it. Errors as for image_lines_init.
 */
struct trm_error *image_each_unit(const struct image *image,
				  void (*see)(void *context, struct dwarf_unit *unit,
					      struct dwarf_unit *root),
				  void *context, char **ret_lack);

enum { UNITS_DEPTH_MAX = 128 }; /* of entries in each other: more is damage */

/* Calls `see` for each entry of a unit that may have code or hold what has: at `depth` 0
 * those of the unit itself. Where it returns false, what the entry holds is passed over.
 */
void units_walk(struct dwarf_unit *unit,
		bool (*see)(void *context, const struct dwarf_entry *entry, size_t depth),
		void *context);

/* Whether the image has code from `start` to `end`: linkers leave functions out, and
 * their debug information in, at addresses where there is none. */
bool units_is_code(const struct image *image, uint64_t start, uint64_t end);

/*
 * Sorts items of `size` bytes, each of which begins with a struct image_range. Of what
 * two units say of the same code the later one begins where the earlier ends; those of
 * which nothing is left are dropped. Returns how many are kept.
 */
size_t units_untangle(void *items, size_t count, size_t size);

#endif
