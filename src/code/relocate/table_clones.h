/*
 * Clones of a function's jump tables, in front of its relocated code: see
 * code/relocate/whole.h.
 */
#ifndef TRAMMEL_CODE_RELOCATE_TABLE_CLONES_H
#define TRAMMEL_CODE_RELOCATE_TABLE_CLONES_H

#include "code/emit/emit.h"
#include "code/relocate/whole.h"

/* Whether clones hold addresses, so that their pages differ between processes. */
bool table_clones_have_addresses(const struct whole *whole);

/* Reserves room for the clones; fills in whole.clones. Code in private pages can be
 * changed: see session/adapt/fired.h. */
void table_clones_reserve(struct whole *whole, struct emitter *emitter);

/* Fills in the clones, when all blocks have their offsets. */
void table_clones_fill(const struct whole *whole, struct emitter *emitter);

#endif
