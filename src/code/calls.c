#include "code/calls.h"

#include <string.h>

enum { LENGTH = SCAN_CALL_LENGTH, JUMP = 0xe9 };

/* How many calls ahead is fetched what they are, and whose entries they lead to: looking
 * those up takes most of the time, as they lie all over the text. */
enum { AHEAD_BYTES = 48, AHEAD_ENTRIES = 24 };

enum { NOWHERE = UINT32_MAX };

struct retargeting {
	const struct scan *scan;
	const struct image *image;
	struct plan *plan;
	/* By function: where in plan.code calls of it may lead instead; NOWHERE. */
	uint32_t *trampolines;
};

/* A jump to an entry from inside of the function, or from a cold part, may be a loop. */
static bool may_be_inner(const struct retargeting *work,
			 const struct plan_function *function, uint64_t address)
{
	return address - function->address < function->size ||
	       ranges_meet(work->image->cold_parts.items, work->image->cold_parts.count,
			   address, address + LENGTH);
}

static void list_trampolines(struct retargeting *work)
{
	size_t count = work->plan->functions.count;

	work->trampolines = memory_allocate(count * sizeof(*work->trampolines));
	for (size_t i = 0; i < count; i++) {
		const struct plan_function *function = &work->plan->functions.items[i];
		bool good = !function->call_end && function->reason == PLAN_INSTRUMENTED;

		work->trampolines[i] = good ? function->trampoline : NOWHERE;
	}
}

/* The function whose entry a call leads to, if it may lead to its trampoline instead; -1:
 * none. */
static int64_t callee_of(const struct retargeting *work, uint64_t target)
{
	int64_t index = map_function_at(&work->scan->map, target);

	return index < 0 || work->trampolines[index] == NOWHERE ? -1 : index;
}

/* Calls that trampolines make. */
static void retarget_jumps(const struct retargeting *work, const struct emit_jumps *jumps)
{
	struct plan *plan = work->plan;

	vector_for_each (jumps, jump) {
		uint64_t end = plan->code_address + *jump + sizeof(int32_t);
		int32_t distance;
		int64_t callee;

		memcpy(&distance, plan->code.items + *jump, sizeof(distance));
		callee = callee_of(work, end + (uint64_t)(int64_t)distance);
		if (callee < 0)
			continue;
		/* Both lie in plan.code, so the one reaches the other. */
		distance =
			(int32_t)(plan->code_address + work->trampolines[callee] - end);
		memcpy(plan->code.items + *jump, &distance, sizeof(distance));
	}
}

static void retarget(const struct retargeting *work, uint64_t address)
{
	const struct code_segment *segment = map_find(&work->scan->map, address, LENGTH);
	uint64_t end = address + LENGTH, target;
	struct plan_call *call;
	int32_t distance;
	int64_t callee;
	size_t offset;

	if (!segment)
		return;
	offset = address - segment->address;
	memcpy(&distance, segment->bytes + offset + 1, sizeof(distance));
	callee = callee_of(work, end + (uint64_t)(int64_t)distance);
	if (callee < 0 || !bit_test(segment->starts, offset) ||
	    bits_any(segment->taken, offset, offset + LENGTH) ||
	    ranges_meet(work->image->untouchable.items, work->image->untouchable.count,
			address, end))
		return;
	if (segment->bytes[offset] == JUMP &&
	    may_be_inner(work, &work->plan->functions.items[callee], address))
		return;
	target = work->plan->code_address + work->trampolines[callee];
	distance = (int32_t)(target - end);
	if (end + (uint64_t)(int64_t)distance != target ||
	    !map_take(&work->scan->map, address + 1, LENGTH - 1))
		return;
	call = vector_add(&work->plan->calls);
	call->address = address + 1;
	call->displacement = distance;
}

static int by_address(const void *left, const void *right)
{
	const struct plan_call *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Nearly all are one sorted run, and the few behind it are of cold parts, or where
 * functions overlap: these are merged into it, from the back. */
static void sort_calls(struct plan_calls *calls)
{
	size_t run = 1, at = calls->count, rest;
	struct plan_call *late;

	while (run < at && calls->items[run - 1].address < calls->items[run].address)
		run++;
	if (run >= at)
		return;
	rest = at - run;
	late = memory_allocate(rest * sizeof(*late));
	memcpy(late, calls->items + run, rest * sizeof(*late));
	qsort(late, rest, sizeof(*late), by_address);
	while (rest) {
		if (run && calls->items[run - 1].address > late[rest - 1].address)
			calls->items[--at] = calls->items[--run];
		else
			calls->items[--at] = late[--rest];
	}
	free(late);
}

/* Has the processor read what the calls behind `index` need. */
static void look_ahead(const struct scan *scan, size_t index)
{
	size_t count = scan->calls.count;
	const uint64_t *calls = scan->calls.items;
	const struct code_segment *segment;
	uint64_t target;
	int32_t distance;

	if (index + AHEAD_BYTES < count)
		map_prefetch(&scan->map, calls[index + AHEAD_BYTES]);
	if (index + AHEAD_ENTRIES >= count)
		return;
	target = calls[index + AHEAD_ENTRIES];
	segment = map_find(&scan->map, target, LENGTH);
	if (!segment)
		return;
	memcpy(&distance, segment->bytes + (target - segment->address) + 1,
	       sizeof(distance));
	target += LENGTH + (uint64_t)(int64_t)distance - segment->address;
	if (target < segment->size)
		__builtin_prefetch(&segment->first[target / CODE_BLOCK]);
}

void calls_retarget(const struct scan *scan, const struct image *image,
		    const struct emit_jumps *jumps, struct plan *plan)
{
	struct retargeting work = {.scan = scan, .image = image, .plan = plan};

	list_trampolines(&work);
	for (size_t i = 0; i < scan->calls.count; i++) {
		look_ahead(scan, i);
		retarget(&work, scan->calls.items[i]);
	}
	sort_calls(&plan->calls);
	retarget_jumps(&work, jumps);
	free(work.trampolines);
}
