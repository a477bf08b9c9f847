/*
 * Registers that are dead at entries of functions.
 */
#ifndef TRAMMEL_CODE_SCAN_DEAD_REGISTERS_H
#define TRAMMEL_CODE_SCAN_DEAD_REGISTERS_H

#include "image/image.h"

#include <stdbool.h>

/*
 * Finds by function of the image whether rax is certainly dead at its entry: on each path
 * it is overwritten whole before any of it is read, and before the function returns or
 * goes to unknown code. A call overwrites it if its callee certainly does. This does not
 * follow from a calling convention: rax tells variadic functions how many vector
 * registers are used, has an argument in Go and OCaml, and where the compiler has seen
 * that a function leaves it alone its callers may keep a value there (gcc's -fipa-ra).
 * The caller frees the result.
 */
bool *dead_registers_find(const struct image *image);

#endif
