/* Go's table of functions (.gopclntab). */
#ifndef TRAMMEL_IMAGE_READ_GOPCLNTAB_H
#define TRAMMEL_IMAGE_READ_GOPCLNTAB_H

#include "image/read/reader.h"

/* Finds Go's table of functions. Before relocations, since addresses in it have some. */
void image_find_go_table(struct reader *reader);

/* Adds its functions to reader.symbols; after the frames, which it must not contradict.
 */
void image_read_go_functions(struct reader *reader);

#endif
