/*
 * Clones of the tables that a function's switches jump through, in front of its relocated
 * code: see code/relocate/whole.h.
 */
#ifndef TRAMMEL_CODE_RELOCATE_TABLE_CLONES_H
#define TRAMMEL_CODE_RELOCATE_TABLE_CLONES_H

#include "code/emit/emit.h"
#include "code/relocate/whole.h"

/* Whether tables hold addresses, so that their pages differ from process to process. */
bool table_clones_have_addresses(const struct whole *whole);

/* Makes room for the clones, in whole.clones. Code in pages that are a process's own can
 * change there: see session/adapt/fired.h. */
void table_clones_reserve(struct whole *whole, struct emitter *emitter);

/* Fills them in, when all blocks have their place. */
void table_clones_fill(const struct whole *whole, struct emitter *emitter);

#endif
