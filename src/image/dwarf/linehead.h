/* Heads of line tables. */
#ifndef TRAMMEL_IMAGE_DWARF_LINEHEAD_H
#define TRAMMEL_IMAGE_DWARF_LINEHEAD_H

#include "image/dwarf/dwarf.h"

/* Reads the head of a unit's line table, once. */
const struct dwarf_line_head *dwarf_line_head_of(struct dwarf_unit *unit);

/* Frees the lists of a head. */
void dwarf_line_head_deinit(struct dwarf_line_head *head);

#endif
