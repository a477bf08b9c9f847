/* Ranges of entries' code. */
#ifndef TRAMMEL_IMAGE_DWARF_RANGES_H
#define TRAMMEL_IMAGE_DWARF_RANGES_H

#include "image/dwarf/dwarf.h"

/* Replaces the contents of `ranges` by the ranges of an entry's code, in their order. */
void dwarf_entry_ranges(const struct dwarf_entry *entry, struct image_ranges *ranges);

#endif
