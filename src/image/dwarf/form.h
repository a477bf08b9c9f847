/* Values of attributes by their forms. */
#ifndef TRAMMEL_IMAGE_DWARF_FORM_H
#define TRAMMEL_IMAGE_DWARF_FORM_H

#include "image/dwarf/dwarf.h"

/* Reads one field; `unit` says how large addresses and offsets are. On damage the cursor
 * has failed. */
void dwarf_form_read(struct cursor *cursor, const struct dwarf_unit *unit, uint32_t form,
		     int64_t constant, struct dwarf_value *ret_value);

/* Returns the string of a unit's value; NULL if the value is not a string. */
const char *dwarf_string_of(const struct dwarf_unit *unit,
			    const struct dwarf_value *value);

/* Reads the address of a unit's value; false if the value is not an address. */
bool dwarf_address_of(const struct dwarf_unit *unit, const struct dwarf_value *value,
		      uint64_t *ret_address);

/* Reads address `index` of the unit's table of addresses; false if it does not have it.
 */
bool dwarf_address_by_index(const struct dwarf_unit *unit, uint64_t index,
			    uint64_t *ret_address);

/* Finds the offset of list `index` of a unit in a section of lists, whose offsets for the
 * unit begin at `base`. False if there is none. */
bool dwarf_list_offset(const struct dwarf_unit *unit, enum dwarf_section section,
		       uint64_t base, uint64_t index, uint64_t *ret_offset);

#endif
