/*
 * Jumps from the original text to relocated code, and back.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCH_JUMPS_H
#define TRAMMEL_CODE_UNPATCH_UNPATCH_JUMPS_H

#include "code/unpatch/unpatching.h"

/* Writes the jumps of led blocks to `text`: at their starts, or in islands. Notes blocks
 * without room for a jump (no_room). */
void unpatching_add_jumps(struct unpatching *unpatching, uint8_t *text);

#endif
