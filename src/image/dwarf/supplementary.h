/* The supplementary file that dwz makes. */
#ifndef TRAMMEL_IMAGE_DWARF_SUPPLEMENTARY_H
#define TRAMMEL_IMAGE_DWARF_SUPPLEMENTARY_H

#include "image/dwarf/dwarf.h"

/* Opens the supplementary file of a file at `path`, if the file names one. */
void dwarf_file_read_supplementary(struct dwarf_file *file, const char *path);

#endif
