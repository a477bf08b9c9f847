/* Units of a file. */
#ifndef TRAMMEL_IMAGE_DWARF_UNIT_H
#define TRAMMEL_IMAGE_DWARF_UNIT_H

#include "image/dwarf/dwarf.h"

/* Reads the heads of a file's units and the attributes of their first entries. */
void dwarf_file_read_units(struct dwarf_file *file);

#endif
