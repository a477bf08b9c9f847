#include "control/phase_names.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* The view at an address in the address spaces that have the names; NULL: there is none.
 */
static struct bank *view_at(const struct arena *arena, const struct arena_chunk *names,
			    uint64_t address)
{
	vector_for_each (&arena->chunks, item) {
		const struct arena_chunk *chunk = *item;
		const uint64_t slot = (address - chunk->address) / chunk->stride;

		if (chunk->names == names && slot >= chunk->first &&
		    slot < chunk->bank_count)
			return chunk->views.items[slot - chunk->first];
	}
	return NULL;
}

/* The phase of a name, as the program has written it. */
static uint32_t phase_of(const struct arena *arena, const struct wire_phase_names *names,
			 struct wire_phase_row row)
{
	char *text;
	uint32_t phase;

	if (!row.size)
		return ARENA_PHASE_NONE;
	if (row.text > WIRE_PHASE_TEXTS || row.size > WIRE_PHASE_TEXTS - row.text)
		return ARENA_PHASE_OTHER;
	text = strndup(names->texts + row.text, row.size);
	phase = ARENA_PHASES + string_table_intern(arena->phases, text ? text : "");
	free(text);
	return phase;
}

static void learn_chunk(const struct arena *arena, struct arena_chunk *chunk)
{
	const struct wire_phase_names *names = phase_names_in(chunk);
	uint32_t used = __atomic_load_n(&names->rows_used, __ATOMIC_ACQUIRE);

	if (used > WIRE_PHASE_ROWS)
		used = WIRE_PHASE_ROWS;
	for (; chunk->rows_read < used; chunk->rows_read++) {
		const struct wire_phase_row row = names->rows[chunk->rows_read];
		struct bank *view = view_at(arena, chunk, row.view);

		if (view && !view->phase)
			view->phase = phase_of(arena, names, row);
	}
}

void phase_names_learn(const struct arena *arena, const struct bank *front)
{
	if (!arena->phases || !front->views.count)
		return;
	vector_for_each (&arena->chunks, chunk)
		if ((*chunk)->front == front && (*chunk)->first)
			learn_chunk(arena, *chunk);
}
