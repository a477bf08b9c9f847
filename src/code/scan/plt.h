/*
 * Targets of the stubs of the procedure linkage table.
 */
#ifndef TRAMMEL_CODE_SCAN_PLT_H
#define TRAMMEL_CODE_SCAN_PLT_H

#include "image/image.h"

/* The address of the word through which the stub at `address` jumps; 0 if it is no known
 * stub. */
uint64_t plt_word(const struct image *image, uint64_t address);

/* The function with which the loader fills the word of the stub at `address`, if the
 * module defines it; 0 otherwise. */
uint64_t plt_function(const struct image *image, uint64_t address);

#endif
