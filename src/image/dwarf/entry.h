/* Entries of units, and their attributes. */
#ifndef TRAMMEL_IMAGE_DWARF_ENTRY_H
#define TRAMMEL_IMAGE_DWARF_ENTRY_H

#include "image/dwarf/dwarf.h"

/* Reads the entry at an offset of the unit. Past its end, or on damage, the tag is 0 and
 * `next` the unit's end. */
void dwarf_entry_read(struct dwarf_unit *unit, uint64_t offset,
		      struct dwarf_entry *ret_entry);

/* Reads the entry that a unit's value refers to; false if it refers to none. */
bool dwarf_entry_follow(struct dwarf_unit *unit, const struct dwarf_value *value,
			struct dwarf_entry *ret_entry);

/* Returns the offset behind an entry and all its children. */
uint64_t dwarf_entry_end(const struct dwarf_entry *entry);

/* Finds an attribute of the entry, or of the entry that it refers to by
 * DW_AT_abstract_origin or DW_AT_specification; false if neither has it. `ret_unit`
 * gets the unit of the value. */
bool dwarf_entry_find(const struct dwarf_entry *entry, enum dwarf_slot slot,
		      struct dwarf_unit **ret_unit, struct dwarf_value *ret_value);

/* Returns a string attribute, found in the same way; NULL: absent. Valid as long as
 * the file. */
const char *dwarf_entry_string(const struct dwarf_entry *entry, enum dwarf_slot slot);

/* Returns the name that a function is linked by, or else its plain one, found in the same
 * way; NULL: it has none. Valid as long as the file. */
const char *dwarf_entry_linked_name(const struct dwarf_entry *entry);

/* Returns a number attribute, found in the same way; 0: absent, or larger than 32
 * bits. */
uint32_t dwarf_entry_number(const struct dwarf_entry *entry, enum dwarf_slot slot);

/* Reads the start address of an entry's code; false if it has no code. */
bool dwarf_entry_start(const struct dwarf_entry *entry, uint64_t *ret_address);

#endif
