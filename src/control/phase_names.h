/* Which views of a bank a program has taken by itself, and for what: wire/phase_names.h.
 */
#ifndef TRAMMEL_CONTROL_PHASE_NAMES_H
#define TRAMMEL_CONTROL_PHASE_NAMES_H

#include "control/arena.h"
#include "wire/phase_names.h"

/* Returns the names that lie in a chunk; NULL: there are none. */
static inline struct wire_phase_names *phase_names_in(const struct arena_chunk *chunk)
{
	return chunk && chunk->first ? (struct wire_phase_names *)(void *)chunk->shared
				     : NULL;
}

/* Notes the phases of all views of a bank. The program may take more meanwhile. */
void phase_names_learn(const struct arena *arena, const struct bank *front);

#endif
