#include "code/locate/locate.h"

#include "base/search.h"
#include "code/calls/gate_layout.h"
#include "code/emit/relocate_instruction.h"
#include "code/entry/trampoline.h"
#include "code/locate/address_map.h"
#include "code/locate/locate_gates.h"
#include "code/plan/plan.h"
#include "code/plan/plan_rows.h"

#include <string.h>

/* The function whose trampoline starts at or before the offset. Functions that have none
 * carry the place where it would be. */
const struct plan_function *plan_function_of(const struct plan *plan,
					     uint32_t code_offset)
{
	size_t low = search_first(plan->functions.count, middle,
				  plan_by_code(plan, middle)->trampoline <= code_offset);

	return low ? plan_by_code(plan, low - 1) : NULL;
}

/* Offset of the trampoline of a function, or of its latch. */
static uint32_t start_of(const struct plan *plan, const struct plan_function *function)
{
	if (function->trampoline != PLAN_LATER)
		return function->trampoline;
	return plan_latch_of(plan, (uint32_t)(function - plan->functions.items))->code;
}

/* Makes the trampoline of a function that of its latch, which lies at an offset. */
static void make_latch(const struct plan *plan, uint32_t offset,
		       struct trampoline *trampoline)
{
	trampoline->latch = true;
	trampoline->probe = PROBE_NONE;
	trampoline->call_end = 0;
	trampoline->hook = plan->code.items[offset + TRAMPOLINE_HOOK_NUMBER];
}

/* The form of a trampoline's probe, by its first bytes. */
static enum probe_form probe_of(const struct plan *plan,
				const struct plan_function *function)
{
	uint32_t offset = gates_body(plan, function);

	if (function->reason || function->trampoline == PLAN_LATER ||
	    (plan->gates_size && !plan->counts_entries))
		return PROBE_NONE;
	return probe_at(plan->code.items + offset, plan->code.count - offset);
}

static struct trampoline trampoline_of(const struct plan *plan,
				       const struct plan_function *function,
				       const uint8_t *original, size_t size)
{
	struct trampoline trampoline = {
		.address = function->address,
		.bytes = original,
		.size = size,
		.displaced = function->displaced,
		.copied =
			size < function->copied ? function->displaced : function->copied,
		.probe = probe_of(plan, function),
		.hook = function->hook,
		.gate = gates_of_hooked(plan, function),
		.call_end = function->call_end,
	};

	if (function->trampoline == PLAN_LATER)
		make_latch(plan, start_of(plan, function), &trampoline);
	return trampoline;
}

/* A thread that came through a gate is counted there already: what the probe of the
 * trampoline has not counted is added by hand. */
static void settle_gated(const struct plan *plan, const struct plan_function *function,
			 const uint8_t *original, uint32_t code_offset,
			 struct plan_position *place)
{
	if (!plan->gates_size || function->reason != PLAN_INSTRUMENTED ||
	    code_offset < gates_body(plan, function))
		return;
	if (place->kind == PLAN_POSITION_CALL_UNDO) {
		place->kind = PLAN_POSITION_CALL_DONE;
		place->original = gates_callee(function, original, &place->word);
		place->uncounted[0] = function->slot * plan->slot_size;
	}
	if (place->kind == PLAN_POSITION_PROBE)
		place->uncounted[0] = function->slot * plan->slot_size;
	if (place->kind == PLAN_POSITION_PROBE || place->kind == PLAN_POSITION_HOOK)
		place->kind = PLAN_POSITION_START;
}

static bool has_trampoline(const struct plan_function *function)
{
	return function->reason == PLAN_INSTRUMENTED || function->hook ||
	       function->trampoline == PLAN_LATER;
}

struct plan_position
plan_locate(const struct plan *plan,
	    const uint8_t *(*original_at)(void *context, uint64_t address, size_t size),
	    void *context, uint32_t code_offset)
{
	const struct plan_latch *latch = plan_latch_at(plan, code_offset);
	const struct plan_function *function =
		latch ? &plan->functions.items[latch->function]
		      : plan_function_of(plan, code_offset);
	struct plan_position place = {.kind = PLAN_POSITION_UNKNOWN,
				      .uncounted = PLAN_ALL_COUNTED};
	uint8_t scratch[TRAMPOLINE_SIZE_MAX];
	struct emit_marks marks = {.count = 0};
	struct emitter emitter = {
		.code = scratch, .capacity = sizeof(scratch), .marks = &marks};
	struct trampoline trampoline;
	const uint8_t *original;
	uint32_t begin;
	uint64_t start;
	size_t size;

	if (gates_locate(plan, original_at, context, code_offset, &place))
		return place;
	if (!function || !has_trampoline(function) || code_offset >= plan->code.count)
		return place;
	if (function->map_row_count && !latch)
		return address_map_locate(plan, function, code_offset);
	begin = latch ? latch->code : function->trampoline;
	size = function->call_end ? function->call_end : function->copied;
	original = original_at(context, function->address, size);
	if (!original)
		return place;
	trampoline = trampoline_of(plan, function, original, size);
	if (latch)
		make_latch(plan, begin, &trampoline);
	emitter.address = plan->code_address + begin;
	trampoline_emit(&emitter, &trampoline, &start);
	for (size_t i = 0; i < marks.count; i++) {
		const struct emit_mark *mark = &marks.items[i];

		if (mark->offset != code_offset - begin)
			continue;
		place.kind = mark->kind;
		place.function = (uint32_t)(function - plan->functions.items);
		place.instruction = mark->instruction;
		place.original = mark->original;
		place.stack = mark->stack;
		place.pushed = mark->pushed;
		place.inside = mark->inside;
		place.word = mark->word;
	}
	settle_gated(plan, function, original, code_offset, &place);
	return place;
}

/* Finds the start of the displaced instructions in a trampoline, and its return address.
 */
static struct relocation relocation_of(const struct plan *plan,
				       const struct plan_function *function,
				       const uint8_t *original)
{
	struct trampoline trampoline =
		trampoline_of(plan, function, original, function->displaced);
	uint8_t scratch[TRAMPOLINE_SIZE_MAX];
	struct emitter emitter = {.code = scratch,
				  .capacity = sizeof(scratch),
				  .address =
					  plan->code_address + start_of(plan, function)};
	struct relocation relocation = {.entry = function->address};

	trampoline_emit(&emitter, &trampoline, &relocation.start);
	relocation.patch = function->address +
			   trampoline_patch_offset(original, function->displaced);
	/* An emulated call is the last instruction, so its word is the last thing. */
	relocation.return_word = emit_here(&emitter) - 8;
	return relocation;
}

const struct plan_patch *plan_patch_behind(const struct plan *plan, uint64_t address)
{
	size_t low = 0, high = plan->patches.count;
	const struct plan_patch *first;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct plan_patch *patch = &plan->patches.items[middle];

		if (patch->address + patch->size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	first = low < plan->patches.count ? &plan->patches.items[low] : NULL;
	vector_for_each (&plan->late, patch)
		if (patch->address + patch->size > address &&
		    (!first || patch->address < first->address))
			first = patch;
	return first;
}

bool plan_offset_of(const struct plan *plan, uint32_t index, const uint8_t *original,
		    uint64_t address, uint32_t *ret_offset)
{
	const struct plan_function *function = &plan->functions.items[index];
	struct trampoline trampoline =
		trampoline_of(plan, function, original, function->displaced);
	uint8_t scratch[TRAMPOLINE_SIZE_MAX];
	struct emit_marks marks = {.count = 0};
	struct emitter emitter = {.code = scratch,
				  .capacity = sizeof(scratch),
				  .marks = &marks,
				  .address =
					  plan->code_address + start_of(plan, function)};
	bool behind = address >= function->address + function->displaced;
	uint64_t start;

	if (!has_trampoline(function) || function->call_end)
		return false;
	trampoline_emit(&emitter, &trampoline, &start);
	for (size_t i = 0; i < marks.count; i++) {
		const struct emit_mark *mark = &marks.items[i];
		bool displaced = mark->kind == PLAN_POSITION_DISPLACED ||
				 mark->kind == PLAN_POSITION_START;

		displaced &= !mark->inside && mark->original == address;
		if (!displaced && !(behind && mark->kind == PLAN_POSITION_BACK))
			continue;
		*ret_offset = start_of(plan, function) + (uint32_t)mark->offset;
		return true;
	}
	return false;
}

size_t plan_finish(const struct plan *plan, const struct plan_position *place,
		   const uint8_t *original, uint64_t address, uint8_t *block,
		   size_t capacity, uint32_t *ret_next)
{
	struct emitter emitter = {
		.code = block, .count = 8, .capacity = capacity, .address = address};
	const struct plan_function *function;
	struct instruction instruction = {0};
	struct relocation relocation;
	uint64_t at, first;

	if ((place->kind != PLAN_POSITION_START &&
	     place->kind != PLAN_POSITION_DISPLACED) ||
	    place->inside || place->function >= plan->functions.count)
		return 0;
	function = &plan->functions.items[place->function];
	at = first = place->original - function->address;
	if (at >= function->displaced)
		return 0;
	relocation = relocation_of(plan, function, original);
	for (; at < function->displaced; at += instruction.length) {
		if (!decode_instruction(original + at, function->displaced - at,
					function->address + at, &instruction))
			return 0;
		if (instruction.kind != INSTRUCTION_PLAIN)
			break;
		relocate_instruction(&emitter, &instruction, &relocation);
	}
	if (at == first || !plan_offset_of(plan, place->function, original,
					   function->address + at, ret_next))
		return 0;
	emit_bytes(&emitter, (const uint8_t[]){0xff, 0x25}, 2);
	emit_relative(&emitter, address, 0);
	return emitter.full || emitter.reason ? 0 : emitter.count;
}
