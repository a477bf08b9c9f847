#include "code/builder/plan_builder.h"

#include <string.h>

enum { JUMP = BUILDER_JUMP };

struct builder_mark builder_mark(const struct plan_builder *builder)
{
	const struct plan *plan = builder->plan;

	return (struct builder_mark){
		.code = plan->code.count,
		.fixups = plan->fixups.count,
		.jumps = builder->out.jumps.count,
		.cached = builder->out.cached.count,
		.shifts = builder->out.shifts ? builder->out.shifts->count : 0,
		.patches = plan->patches.count,
		.islands = builder->out.islands.count,
		.blocks = plan->blocks.count,
		.terms = plan->terms.count,
		.edges = plan->edges.count,
		.crossings = plan->crossings.count,
		.steps = plan->map_rows.count,
		.stubs = plan->stubs.count,
		.point_slots = plan->points.slots.count,
		.checks = plan->points.checks.count,
	};
}

void builder_undo(struct plan_builder *builder, const struct builder_mark *mark)
{
	struct plan *plan = builder->plan;

	plan->code.count = mark->code;
	plan->fixups.count = mark->fixups;
	builder->out.jumps.count = mark->jumps;
	builder->out.cached.count = mark->cached;
	if (builder->out.shifts)
		builder->out.shifts->count = mark->shifts;
	plan->patches.count = mark->patches;
	builder->out.islands.count = mark->islands;
	plan->blocks.count = mark->blocks;
	plan->terms.count = mark->terms;
	plan->edges.count = mark->edges;
	plan->crossings.count = mark->crossings;
	plan->map_rows.count = mark->steps;
	plan->stubs.count = mark->stubs;
	plan->points.slots.count = mark->point_slots;
	plan->points.checks.count = mark->checks;
}

struct emitter builder_emitter(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;

	return (struct emitter){.address = plan->code_address,
				.code = plan->code.items,
				.count = plan->code.count,
				.capacity = plan->code.capacity,
				.plan = plan,
				.jumps = &builder->out.jumps,
				.cached = &builder->out.cached,
				.shifts = builder->out.shifts,
				.own = builder->out.own};
}

struct plan_patch *builder_add_patch(struct plan_patches *patches, uint64_t address,
				     uint32_t function, uint8_t size)
{
	struct plan_patch *patch = vector_add(patches);

	patch->address = address;
	patch->function = function;
	patch->size = size;
	return patch;
}

bool builder_patch_jump(struct plan_patch *patch, size_t offset, uint64_t target)
{
	int64_t distance = (int64_t)(target - (patch->address + offset + JUMP));
	int32_t wide = (int32_t)distance;

	patch->bytes[offset] = 0xe9;
	memcpy(patch->bytes + offset + 1, &wide, sizeof(wide));
	return distance == wide;
}

uint32_t builder_new_slot(struct plan_builder *builder, bool cold)
{
	return cold ? BUILDER_COLD + builder->out.cold_count++
		    : builder->plan->slot_count++;
}

bool builder_relocates(const struct plan_builder *builder)
{
	const struct plan_request *request = builder->request;

	return request->depth >= PLAN_POINTS ||
	       (request->depth == PLAN_CALLS &&
		(request->graph || request->spans || builder->returns.copy_calls));
}

bool builder_can_relocate(uint8_t reason)
{
	return reason == PLAN_INSTRUMENTED || reason == PLAN_NO_ROOM ||
	       reason == PLAN_BRANCH_INTO_ENTRY || reason == PLAN_NOT_MOVABLE;
}
