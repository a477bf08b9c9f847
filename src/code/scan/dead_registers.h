/*
 * Registers that hold nothing where a function is entered.
 */
#ifndef TRAMMEL_CODE_SCAN_DEAD_REGISTERS_H
#define TRAMMEL_CODE_SCAN_DEAD_REGISTERS_H

#include "image/image.h"

#include <stdbool.h>

/*
 * By function of the image, whether rax is surely dead at its entry: on each way all of
 * it is overwritten before anything of it is read, and before the function returns or is
 * left for what is not known. A call overwrites it if its callee surely does. Nothing of
 * this follows from a calling convention: rax tells variadic functions how many vector
 * registers are used, has an argument in Go and OCaml, and where the compiler has seen
 * that a function leaves it alone its callers may keep something there (gcc's -fipa-ra).
 * Free the result.
 */
bool *dead_registers_find(const struct image *image);

#endif
