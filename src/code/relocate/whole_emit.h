/*
 * Writing the code of a function that is relocated whole.
 */
#ifndef TRAMMEL_CODE_RELOCATE_WHOLE_EMIT_H
#define TRAMMEL_CODE_RELOCATE_WHOLE_EMIT_H

#include "code/relocate/whole.h"

/* Whether a counter of an edge needs a piece of code of its own. */
bool whole_edge_has_piece(const struct whole *whole, const struct cfg_edge *edge);

/* The form of the probe of an edge, or of a block, by the flags that it must preserve. */
enum probe_form whole_edge_probe(const struct whole *whole, const struct cfg_edge *edge);

enum probe_form whole_block_probe(const struct whole *whole,
				  const struct cfg_block *block);

/* The most bytes that whole_emit writes. */
size_t whole_size_max(const struct whole *whole);

/*
 * Writes the relocated function, with the slots that the caller has put into whole.blocks
 * and whole.entry_slot, and its address map to emitter->plan. `ret_entry` is the offset
 * of its first instruction in plan.code, behind the clones of tables. Failures are left
 * in the emitter.
 */
void whole_emit(struct whole *whole, struct emitter *emitter, uint32_t *ret_entry);

#endif
