/* Whether a file may set the GS base. */
#ifndef TRAMMEL_IMAGE_GS_H
#define TRAMMEL_IMAGE_GS_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether the code of a file contains the bytes of an instruction that sets the
 * GS base, even by chance; only decoding can tell which (plan.uses_gs). Reads headers
 * and bytes only: 0.05 s for 100 MB. */
bool image_may_set_gs(const void *bytes, size_t size);

#endif
