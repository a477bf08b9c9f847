#include "code/calls.h"

#include <string.h>

enum { LENGTH = 5, CALL = 0xe8, JUMP = 0xe9 };

struct retargeting {
	const struct scan *scan;
	const struct image *image;
	struct plan *plan;
};

/* A jump to an entry from inside of the function, or from a cold part, may be a loop. */
static bool may_be_inner(const struct retargeting *work,
			 const struct plan_function *function, uint64_t address)
{
	return address - function->address < function->size ||
	       ranges_meet(work->image->cold_parts.items, work->image->cold_parts.count,
			   address, address + LENGTH);
}

/* Whether calls of `target` may lead to the trampoline of this function instead. */
static bool is_led_to(const struct plan_function *function, uint64_t target)
{
	return function && function->address == target && !function->call_end &&
	       function->reason == PLAN_INSTRUMENTED;
}

/* Calls that trampolines make. */
static void retarget_jumps(struct plan *plan, const struct emit_jumps *jumps)
{
	vector_for_each (jumps, jump) {
		uint64_t end = plan->code_address + *jump + sizeof(int32_t), target;
		const struct plan_function *function;
		int32_t distance;

		memcpy(&distance, plan->code.items + *jump, sizeof(distance));
		target = end + (uint64_t)(int64_t)distance;
		function = plan_function_at(plan, target);
		if (!is_led_to(function, target))
			continue;
		/* Both lie in plan.code, so the one reaches the other. */
		distance = (int32_t)(plan->code_address + function->trampoline - end);
		memcpy(plan->code.items + *jump, &distance, sizeof(distance));
	}
}

static void consider(const struct retargeting *work, const struct code_segment *segment,
		     size_t offset)
{
	uint64_t address = segment->address + offset, target;
	const struct plan_function *function;
	struct plan_call *call;
	int32_t distance;

	memcpy(&distance, segment->bytes + offset + 1, sizeof(distance));
	target = address + LENGTH + (uint64_t)(int64_t)distance;
	function = plan_function_at(work->plan, target);
	if (!is_led_to(function, target) || bits_any(segment->taken, offset, LENGTH) ||
	    ranges_meet(work->image->untouchable.items, work->image->untouchable.count,
			address, address + LENGTH))
		return;
	if (segment->bytes[offset] == JUMP && may_be_inner(work, function, address))
		return;
	target = work->plan->code_address + function->trampoline;
	distance = (int32_t)(target - (address + LENGTH));
	if (address + LENGTH + (uint64_t)(int64_t)distance != target ||
	    !map_take(&work->scan->map, address + 1, LENGTH - 1))
		return;
	call = vector_add(&work->plan->calls);
	call->address = address + 1;
	call->displacement = distance;
}

static void walk_segment(const struct retargeting *work,
			 const struct code_segment *segment)
{
	for (size_t word = 0; word * 64 < segment->size; word++) {
		uint64_t starts = segment->starts[word];

		while (starts) {
			size_t offset = word * 64 + (size_t)__builtin_ctzll(starts);

			starts &= starts - 1;
			if ((segment->bytes[offset] == CALL ||
			     segment->bytes[offset] == JUMP) &&
			    offset + LENGTH <= segment->size)
				consider(work, segment, offset);
		}
	}
}

void calls_retarget(const struct scan *scan, const struct image *image,
		    const struct emit_jumps *jumps, struct plan *plan)
{
	const struct retargeting work = {scan, image, plan};

	for (size_t i = 0; i < scan->map.count; i++)
		walk_segment(&work, &scan->map.segments[i]);
	retarget_jumps(plan, jumps);
}
