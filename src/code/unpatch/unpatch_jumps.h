/*
 * Jumps from the original text to relocated code, and back.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCH_JUMPS_H
#define TRAMMEL_CODE_UNPATCH_UNPATCH_JUMPS_H

#include "code/unpatch/unpatching.h"

/* The jumps of blocks that are led: where they begin, or in islands. Blocks without room
 * for theirs are noted (no_room). */
void unpatching_add_jumps(struct unpatching *unpatching, uint8_t *text);

#endif
