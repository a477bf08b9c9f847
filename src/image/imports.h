/* Names of what a file imports. */
#ifndef TRAMMEL_IMAGE_IMPORTS_H
#define TRAMMEL_IMAGE_IMPORTS_H

#include "image/image.h"

/* Returns the name of the other module's function whose address the loader stores in a
 * word; NULL if it stores none. The first call reads all relocations. Thread-safe. */
const char *image_import_at(const struct image *image, uint64_t word);

/* Frees what calls of image_import_at made; NULL is allowed. */
void image_imports_destroy(struct image_imports *imports);

#endif
