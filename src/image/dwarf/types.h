/* Types that entries have, or are. */
#ifndef TRAMMEL_IMAGE_DWARF_TYPES_H
#define TRAMMEL_IMAGE_DWARF_TYPES_H

#include "image/dwarf/dwarf.h"
#include "image/types.h"

/* A type that was met. */
struct dwarf_type_entry {
	struct dwarf_unit *unit;
	uint64_t offset;
	uint32_t type; /* index in image_types.items */
};

/* A reading of types: from entries that were met to rows of `types`. */
struct dwarf_types {
	struct image_types *types;
	struct table
		known; /* by file and offset of the entry: index of the type, plus 1 */
	struct VECTOR(
		struct dwarf_type_entry) left; /* of which the members are not read */
};

/* Returns the index of the type that an entry has (DW_AT_type), or its abstract origin;
 * IMAGE_TYPE_NONE: none, as void. Types that it refers to are read by
 * dwarf_types_finish. */
uint32_t dwarf_type_of(struct dwarf_types *reading, const struct dwarf_entry *entry);

/* Returns the index of the type that is described by an entry itself. */
uint32_t dwarf_type_at(struct dwarf_types *reading, const struct dwarf_entry *entry);

/* Reads what all types met so far consist of, and forgets where they were. */
void dwarf_types_finish(struct dwarf_types *reading);

#endif
