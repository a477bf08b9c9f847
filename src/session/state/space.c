#include "session/state/space.h"

#include "control/maps.h"
#include "control/remote.h"
#include "session/cache/exception_rate.h"
#include "session/state/copies.h"
#include "session/state/doorbell.h"
#include "session/state/fired_state.h"

#include <unistd.h>

struct space *space_create(struct family *family, int memory_fd)
{
	struct space *space = memory_allocate_zeroed(1, sizeof(*space));

	space->references = 1;
	space->family = family;
	space->memory_fd = memory_fd;
	return space;
}

struct space *space_fork(const struct space *space, int memory_fd)
{
	struct space *copy = space_create(space->family, memory_fd);

	copy->family->arena->references++;
	copy->copies_calls = space->copies_calls;
	copy->leak_checked = space->leak_checked;
	copy->filters = space->filters;
	copy->bare = space->bare;
	if (space->tools)
		copy->tools = tool_space_fork(space->tools);
	vector_for_each (&space->modules, module)
		vector_push(&copy->modules, *module);
	copies_share(copy);
	vector_for_each (&space->gone, gone)
		vector_push(&copy->gone, *gone);
	vector_for_each (&space->chunks, chunk) {
		(*chunk)->references++;
		if ((*chunk)->front)
			vector_push(&copy->inherited, *chunk);
		else
			vector_push(&copy->chunks, *chunk);
	}
	vector_for_each (&space->inherited, chunk) {
		(*chunk)->references++;
		vector_push(&copy->inherited, *chunk);
	}
	return copy;
}

const struct arena_chunk *space_widest(const struct space *space)
{
	size_t i = space->chunks.count - 1;

	while (space->chunks.items[i]->front)
		i--;
	return space->chunks.items[i];
}

/* A page in it that is a guard (WIRE_SPANS_GUARD) has no rights. */
static bool is_bank(const struct mapping *mapping)
{
	return mapping->shared && !mapping->executable;
}

static bool is_code(const struct mapping *mapping)
{
	return mapping->executable;
}

/* What another thread of the parent mapped between the fork and our hearing of it is not
 * in the child; where the fork came between two calls of a mapping, its place is there
 * without rights (batch_add_mapping). The first chunk is always there. */
void space_drop_unmapped(struct space *space, const struct maps *maps)
{
	for (size_t i = space->chunks.count; i-- > 1;) {
		struct arena_chunk *chunk = space->chunks.items[i];
		uint64_t size = chunk->stride * chunk->bank_count;

		if (maps_count_bytes(maps, chunk->address, size, is_bank) == size)
			continue;
		for (size_t k = i + 1; k < space->chunks.count; k++)
			space->chunks.items[k - 1] = space->chunks.items[k];
		space->chunks.count--;
		arena_release_chunk(space->family->arena, chunk);
	}
	for (size_t i = space->modules.count; i-- > 0;) {
		struct module *module = &space->modules.items[i];

		if (!module->code_size || maps_count_bytes(maps, module->code_address,
							   module->code_size, is_code))
			continue;
		copies_give(space->family, &module->copy);
		vector_remove_swap(&space->modules, i);
	}
}

bool family_has_latches(const struct family *family)
{
	vector_for_each (&family->modules, module)
		if (module->file->lazy)
			return true;
	return false;
}

void family_release(struct session *session, struct family *family)
{
	bool last = family->arena->references == 1;

	if (last) {
		exception_rate_keep(session->cache, family->throws,
				    &family->arena->control->looks);
		doorbell_remove(session->doorbell, &family->arena->control->doorbell);
	}
	arena_release(family->arena);
	if (!last)
		return;
	for (size_t i = 0; i < session->families.count; i++) {
		if (session->families.items[i] == family) {
			vector_remove_swap(&session->families, i);
			break;
		}
	}
	vector_deinit(&family->modules);
	copies_forget(family);
	free(family);
}

void space_release(struct session *session, struct space *space)
{
	if (!space || --space->references)
		return;
	vector_for_each (&space->inherited, chunk)
		arena_release_chunk(space->family->arena, *chunk);
	/* Backwards: views go before their banks. */
	for (size_t i = space->chunks.count; i-- > 0;)
		arena_release_chunk(space->family->arena, space->chunks.items[i]);
	copies_give_all(space);
	if (space->family)
		family_release(session, space->family);
	vector_deinit(&space->modules);
	vector_deinit(&space->promises);
	vector_deinit(&space->gone);
	vector_deinit(&space->generated.ranges);
	vector_deinit(&space->chunks);
	vector_deinit(&space->inherited);
	fired_deinit(&space->fired);
	tool_space_destroy(space->tools);
	close(space->memory_fd);
	free(space);
}
