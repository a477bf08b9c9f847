#include "session/state/copies.h"

#include "session/state/memory.h"
#include "session/state/session.h"

#include <stdlib.h>

static bool is_like(const struct family_copy *copy, const struct family_copy *wanted)
{
	return copy->kind == wanted->kind && copy->file == wanted->file &&
	       copy->bias == wanted->bias && copy->size == wanted->size &&
	       copy->code_address == wanted->code_address &&
	       copy->address_maps_at == wanted->address_maps_at &&
	       copy->first_slot == wanted->first_slot;
}

static struct family_copy *find_copy(const struct family *family,
				     const struct family_copy *wanted)
{
	vector_for_each (&family->shared_code, copy)
		if (is_like(*copy, wanted))
			return *copy;
	return NULL;
}

struct trm_error *copies_take(struct session *session, struct family *family,
			      const struct module *module, enum copy_kind kind,
			      uint64_t size, struct family_copy **ret_copy, bool *ret_new)
{
	const struct family_copy wanted = {
		.kind = kind,
		.file = module->file,
		.bias = module->bias,
		.code_address = module->code_address,
		.address_maps_at = module->address_maps_at,
		.first_slot = module->first_slot,
		.size = size,
	};
	struct family_copy *copy = find_copy(family, &wanted);
	uint64_t offset;

	*ret_new = !copy;
	if (!copy) {
		/* A process that was let in has all that it starts with. */
		if (!module->stays)
			TRM_TRY(memory_ask(session, size));
		TRM_TRY(arena_allocate(family->arena, size, &offset));
		copy = memory_allocate(sizeof(*copy));
		*copy = wanted;
		copy->offset = offset;
		vector_push(&family->shared_code, copy);
	}
	copy->references++;
	*ret_copy = copy;
	return NULL;
}

void copies_give(struct family *family, struct family_copy **given)
{
	struct family_copy *copy = *given;

	*given = NULL;
	if (!copy || --copy->references)
		return;
	for (size_t i = 0; i < family->shared_code.count; i++) {
		if (family->shared_code.items[i] == copy) {
			vector_remove_swap(&family->shared_code, i);
			break;
		}
	}
	arena_free(family->arena, copy->offset, copy->size);
	free(copy);
}

void copies_share(struct space *space)
{
	vector_for_each (&space->modules, module)
		if (module->copy)
			module->copy->references++;
}

void copies_give_all(struct space *space)
{
	if (space->left)
		return;
	vector_for_each (&space->modules, module)
		copies_give(space->family, &module->copy);
}

void copies_forget(struct family *family)
{
	vector_for_each (&family->shared_code, copy)
		free(*copy);
	vector_deinit(&family->shared_code);
}
