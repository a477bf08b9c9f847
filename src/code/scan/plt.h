/*
 * What stubs of the procedure linkage table lead to.
 */
#ifndef TRAMMEL_CODE_SCAN_PLT_H
#define TRAMMEL_CODE_SCAN_PLT_H

#include "image/image.h"

/* The word through which a stub of the procedure linkage table jumps; 0: it is none that
 * is known. */
uint64_t plt_word(const struct image *image, uint64_t address);

/* The function that the loader means by that word, as far as the module tells; 0: it does
 * not. */
uint64_t plt_function(const struct image *image, uint64_t address);

#endif
