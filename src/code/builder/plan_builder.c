#include "code/builder/plan_builder.h"

#include <string.h>

enum { JUMP = MAKING_JUMP };

struct making_mark making_mark(const struct making *making)
{
	const struct plan *plan = making->plan;

	return (struct making_mark){
		.code = plan->code.count,
		.fixups = plan->fixups.count,
		.jumps = making->jumps.count,
		.cached = making->cached.count,
		.shifts = making->shifts ? making->shifts->count : 0,
		.patches = plan->patches.count,
		.islands = making->islands.count,
		.blocks = plan->blocks.count,
		.terms = plan->terms.count,
		.edges = plan->edges.count,
		.crossings = plan->crossings.count,
		.steps = plan->steps.count,
		.stubs = plan->stubs.count,
	};
}

void making_undo(struct making *making, const struct making_mark *mark)
{
	struct plan *plan = making->plan;

	plan->code.count = mark->code;
	plan->fixups.count = mark->fixups;
	making->jumps.count = mark->jumps;
	making->cached.count = mark->cached;
	if (making->shifts)
		making->shifts->count = mark->shifts;
	plan->patches.count = mark->patches;
	making->islands.count = mark->islands;
	plan->blocks.count = mark->blocks;
	plan->terms.count = mark->terms;
	plan->edges.count = mark->edges;
	plan->crossings.count = mark->crossings;
	plan->steps.count = mark->steps;
	plan->stubs.count = mark->stubs;
}

struct emitter making_emitter(struct making *making)
{
	struct plan *plan = making->plan;

	return (struct emitter){.address = plan->code_address,
				.code = plan->code.items,
				.count = plan->code.count,
				.capacity = plan->code.capacity,
				.plan = plan,
				.jumps = &making->jumps,
				.cached = &making->cached,
				.shifts = making->shifts,
				.own = making->own};
}

struct plan_patch *making_add_patch(struct plan_patches *patches, uint64_t address,
				    uint32_t function, uint8_t size)
{
	struct plan_patch *patch = vector_add(patches);

	patch->address = address;
	patch->function = function;
	patch->size = size;
	return patch;
}

bool making_patch_jump(struct plan_patch *patch, size_t offset, uint64_t target)
{
	int64_t distance = (int64_t)(target - (patch->address + offset + JUMP));
	int32_t wide = (int32_t)distance;

	patch->bytes[offset] = 0xe9;
	memcpy(patch->bytes + offset + 1, &wide, sizeof(wide));
	return distance == wide;
}

uint32_t making_new_slot(struct making *making, bool cold)
{
	return cold ? MAKING_COLD + making->cold_count++ : making->plan->slot_count++;
}

bool making_relocates(const struct making *making)
{
	const struct plan_request *request = making->request;

	return request->depth >= PLAN_BLOCKS ||
	       (request->depth == PLAN_CALLS &&
		(request->graph || request->spans || making->copy_calls));
}

bool making_can_relocate(uint8_t reason)
{
	return reason == PLAN_INSTRUMENTED || reason == PLAN_NO_ROOM ||
	       reason == PLAN_BRANCH_INTO_ENTRY || reason == PLAN_NOT_MOVABLE;
}
