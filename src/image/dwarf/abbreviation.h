/* Tables of abbreviations: .debug_abbrev. */
#ifndef TRAMMEL_IMAGE_DWARF_ABBREVIATION_H
#define TRAMMEL_IMAGE_DWARF_ABBREVIATION_H

#include "image/dwarf/dwarf.h"

/* The layout of the fields in one kind of entry. */
struct dwarf_layout {
	uint32_t tag;
	bool children;
	const struct dwarf_field *fields;
	size_t field_count;
};

struct dwarf_field {
	uint16_t form;
	uint8_t slot;     /* enum dwarf_slot; DWARF_SLOTS: not looked at */
	int64_t constant; /* for DW_FORM_implicit_const */
};

/* Returns the table at an offset of a file's .debug_abbrev, which is read once; NULL:
 * no such table. */
const struct dwarf_abbreviations *dwarf_abbreviations_at(struct dwarf_file *file,
							 uint64_t offset);

/* Frees a table. */
void dwarf_abbreviations_destroy(struct dwarf_abbreviations *abbreviations);

/* Finds the layout of the entries with a code; false: the table does not have it. */
bool dwarf_abbreviation_find(const struct dwarf_abbreviations *abbreviations,
			     uint64_t code, struct dwarf_layout *ret_layout);

#endif
