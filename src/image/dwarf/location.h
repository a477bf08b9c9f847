/* Where variables are. */
#ifndef TRAMMEL_IMAGE_DWARF_LOCATION_H
#define TRAMMEL_IMAGE_DWARF_LOCATION_H

#include "image/dwarf/dwarf.h"
#include "image/types.h"

/* Adds the locations of a variable's entry to `ret_locations`; `whole` is the code that
 * a location holds for that names none. */
void dwarf_entry_locations(const struct dwarf_entry *entry, struct image_range whole,
			   struct image_locations *ret_locations);

/* Reads a location of which a value is the expression (DW_AT_frame_base). */
struct image_location dwarf_value_location(const struct dwarf_unit *unit,
					   const struct dwarf_value *value);

#endif
