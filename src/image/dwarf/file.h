/* Files with debug information: their sections. */
#ifndef TRAMMEL_IMAGE_DWARF_FILE_H
#define TRAMMEL_IMAGE_DWARF_FILE_H

#include "image/dwarf/dwarf.h"

/* Reads the debug sections of an ELF file at `path`, without its units; `split`: the
 * sections of split units. NULL: the file cannot be opened (errno is set) or is not an
 * ELF file (errno is 0). */
struct dwarf_file *dwarf_file_open(const char *path, bool split);

/* Frees a file and all that it owns; NULL is allowed. */
void dwarf_file_close(struct dwarf_file *file);

/* Returns the unit at an offset of a file's .debug_info; NULL if no unit has this
 * offset. */
struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *file, uint64_t offset);

#endif
