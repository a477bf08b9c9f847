/* Line tables: rows and names of files. */
#ifndef TRAMMEL_IMAGE_DWARF_LINE_H
#define TRAMMEL_IMAGE_DWARF_LINE_H

#include "image/dwarf/dwarf.h"

/* A row of a line table. */
struct dwarf_row {
	uint64_t address;
	uint64_t file; /* number for dwarf_unit_path */
	uint64_t line; /* 0: no line */
	uint64_t discriminator;
	bool end; /* the code ends here */
};

/* Calls `see` for each row of a unit's line table, in the order of the table. */
void dwarf_unit_rows(struct dwarf_unit *unit,
		     void (*see)(void *context, const struct dwarf_row *row),
		     void *context);

/* Returns the clean path (see image_clean_path) of a file in the unit's line table;
 * NULL: not known. The caller frees it. */
char *dwarf_unit_path(struct dwarf_unit *unit, uint64_t file);

#endif
