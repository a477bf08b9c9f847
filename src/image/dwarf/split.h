/* Split units, in .dwo files or packages. */
#ifndef TRAMMEL_IMAGE_DWARF_SPLIT_H
#define TRAMMEL_IMAGE_DWARF_SPLIT_H

#include "image/dwarf/dwarf.h"

/* Places to search for split units. */
struct dwarf_splits {
	const char *program;        /* path of the image */
	const char *debug_file;     /* path of the file with the skeletons */
	bool looked;                /* for a package */
	struct dwarf_file *package; /* NULL: no package */
	size_t wanted, missing;     /* split units */
	char *missed;               /* name of the first missing one */
};

/* Opens the file of a skeleton's split unit, which becomes `ret_unit`; NULL if it is not
 * there. The caller closes the file. */
struct dwarf_file *dwarf_split_open(struct dwarf_splits *splits,
				    struct dwarf_unit *skeleton,
				    struct dwarf_unit **ret_unit);

/* Closes the package, and frees what was noted. */
void dwarf_splits_deinit(struct dwarf_splits *splits);

#endif
