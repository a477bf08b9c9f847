/* Packages of split units (.dwp). */
#ifndef TRAMMEL_IMAGE_DWARF_PACKAGE_H
#define TRAMMEL_IMAGE_DWARF_PACKAGE_H

#include "image/dwarf/dwarf.h"

/* Opens the parts of a package that belong to the split unit with an id; NULL if it has
 * none. The package must outlive them; the caller closes them. */
struct dwarf_file *dwarf_package_unit(const struct dwarf_file *package,
				      uint64_t split_id);

#endif
