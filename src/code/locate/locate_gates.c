#include "code/locate/locate_gates.h"

#include "code/calls/gate_forms.h"
#include "code/calls/gate_layout.h"
#include "code/entry/trampoline.h"
#include "code/locate/address_map.h"
#include "code/plan/plan_rows.h"
#include "code/relocate/inline_cache.h"
#include "code/scan/entry_call.h"

#include <string.h>

uint64_t gates_callee(const struct plan_function *function, const uint8_t *original,
		      bool *ret_word)
{
	const struct entry_call call =
		entry_call_read(original, function->address, function->call_end);

	*ret_word = call.word;
	return call.target;
}

/* The address shown for a thread that has not counted: the jump at the entry, or the
 * call. */
static uint64_t entry_of(const struct plan_function *function, const uint8_t *original)
{
	if (function->call_end)
		return entry_call_read(original, function->address, function->call_end)
			.call;
	return function->address + trampoline_patch_offset(original, function->size);
}

/* The place of a thread that enters a function, counted as called from somewhere. */
static struct plan_position body_of(const struct plan *plan, uint32_t index,
				    const uint8_t *original)
{
	const struct plan_function *function = &plan->functions.items[index];
	struct plan_position place = {.kind = PLAN_POSITION_START,
				      .function = index,
				      .original = entry_of(function, original),
				      .uncounted = PLAN_ALL_COUNTED};

	if (gates_in_call(plan, function)) {
		place.kind = PLAN_POSITION_CALL_DONE;
		place.original = gates_callee(function, original, &place.word);
		if (plan->counts_entries)
			place.uncounted[0] = function->slot * plan->slot_size;
	} else if (function->call_end) {
		place.kind = PLAN_POSITION_CALL_DONE;
		place.original = function->address;
	} else if (function->map_row_count) {
		place = address_map_locate(plan, function, function->trampoline);
	} else if (plan->counts_entries) {
		place.uncounted[0] = function->slot * plan->slot_size;
	}
	place.enters = gates_tell_graph(plan, function);
	place.untold = plan->sites && gates_tell_span(plan, function);
	if (place.enters && function->call_end)
		place.depth = gate_depth(plan->code.items +
					 gates_part_of(plan, function, GATES_GRAPH));
	return place;
}

/* The position of a thread that has passed the parts before a part: at its entry as long
 * as nothing was counted. `place` is the position behind the first part. */
static struct plan_position place_before(const struct plan *plan,
					 const struct plan_function *function,
					 unsigned part, const struct plan_position *entry,
					 struct plan_position place)
{
	const bool counted = part > GATES_SITE && plan->sites;
	const bool told = part > GATES_SPAN && gates_tell_span(plan, function);

	if (part < GATES_PARTS && !counted && !told)
		return *entry;
	place.untold &= part <= GATES_SPAN;
	place.enters &= part <= GATES_GRAPH;
	return place;
}

/* `place` is that of the body, and `entry` that of a thread that has not counted. */
static void locate_in_gate(const struct plan *plan, uint32_t offset,
			   const struct plan_position *entry, struct plan_position *place)
{
	struct plan_position body = *place;
	struct emit_marks marks = {.count = 0};
	uint8_t scratch[GATES_GRAPH_SIZE];
	struct emitter emitter = {
		.code = scratch, .capacity = sizeof(scratch), .marks = &marks};
	const struct plan_function *function =
		&plan->functions.items[offset / gates_size(plan)];
	uint32_t start = offset - offset % gates_size(plan);
	unsigned part = 0;

	while (gates_part_start(plan, part + 1) <= offset - start)
		part++;
	start += gates_part_start(plan, part);
	const uint8_t *code = plan->code.items + start;
	struct gate gate = {.form = gate_form_at(code, function->map_row_count)};

	gate_emit(&emitter, &gate);
	place->kind = PLAN_POSITION_UNKNOWN;
	for (size_t i = 0; i < marks.count; i++) {
		const struct emit_mark *mark = &marks.items[i];

		if (mark->offset != offset - start)
			continue;
		if (mark->kind == PLAN_POSITION_START)
			part = gates_has_one(plan, function) ? part + 1 : GATES_PARTS;
		*place = place_before(plan, function, part, entry, body);
		place->stack = mark->stack;
		place->pushed = mark->pushed;
		place->flags = mark->flags;
		place->kept = mark->kept;
	}
}

/* In a stub that has not counted yet, the thread counts by hand. */
static void locate_in_stub(const struct plan *plan, uint32_t offset,
			   struct plan_position *place)
{
	uint32_t index = (offset - plan->arc_code) / GATES_STUB_SIZE;
	uint32_t at = (offset - plan->arc_code) % GATES_STUB_SIZE;

	if (!at)
		place->uncounted[2] = (plan->arc_slot + index) * plan->slot_size;
	else if (at != PROBE_COUNT_SIZE)
		place->kind = PLAN_POSITION_UNKNOWN;
}

/* In that of a link it goes on to the linkage table. */
static void locate_in_link(const struct plan *plan, uint32_t offset,
			   struct plan_position *place)
{
	enum { CMP = 7, JNE = 14, COUNT = 20 };
	const struct plan_link *link =
		&plan->links.items[(offset - plan->link_code) / GATES_LINK_SIZE];
	uint32_t at = (offset - plan->link_code) % GATES_LINK_SIZE;

	if (!at || at == CMP || at == JNE || at == COUNT)
		*place = (struct plan_position){.kind = PLAN_POSITION_CALL_DONE,
						.function = place->function,
						.original = link->plt,
						.uncounted = PLAN_ALL_COUNTED};
	else if (at != COUNT + PROBE_COUNT_SIZE)
		place->kind = PLAN_POSITION_UNKNOWN;
}

/* The link whose stub is at an offset; NULL if there is none. */
static const struct plan_link *link_of_stub(const struct plan *plan, uint32_t offset)
{
	const uint32_t number = (offset - plan->link_code) / GATES_LINK_SIZE;

	if (offset < plan->link_code || number >= plan->links.count)
		return NULL;
	return &plan->links.items[number];
}

/* The callee of the stub at an offset: its index; the number of functions if there is
 * none. */
static uint32_t callee_of_stub(const struct plan *plan, uint32_t offset)
{
	const struct plan_link *link = link_of_stub(plan, offset);
	const struct plan_arc *arc = NULL;
	uint32_t number;

	if (link) {
		arc = plan_arc_at(plan, link->site);
	} else {
		number = (offset - plan->arc_code) / GATES_STUB_SIZE;
		if (number < plan->arcs.count)
			arc = &plan->arcs.items[number];
	}
	return arc ? arc->callee : (uint32_t)plan->functions.count;
}

/* A link's stub has a cache if it has no arc. */
static bool has_cache(const struct plan *plan, const struct plan_link *link)
{
	return link && !plan_arc_at(plan, link->site);
}

/* The link with a cache whose stub is at an offset; NULL if there is none. */
static const struct plan_link *cached_link_of(const struct plan *plan, uint32_t offset)
{
	const struct plan_link *link = link_of_stub(plan, offset);

	return has_cache(plan, link) ? link : NULL;
}

bool gates_cache_of(const struct plan *plan, uint64_t return_address, uint32_t *ret_slot)
{
	enum { CALL = 5 };
	const struct plan_link *link = plan_link_at(plan, return_address - CALL);

	if (!has_cache(plan, link))
		return false;
	*ret_slot = inline_cache_of_link(plan, gates_stub_of_link(plan, link));
	return true;
}

bool gates_has_compared(const struct plan *plan, uint32_t code_offset, uint32_t *ret_slot)
{
	const struct plan_link *link = cached_link_of(plan, code_offset);

	if (!link ||
	    !inline_cache_has_compared_link(gates_stub_of_link(plan, link), code_offset))
		return false;
	*ret_slot = inline_cache_of_link(plan, gates_stub_of_link(plan, link));
	return true;
}

/* The thread's own function is that of the call. */
static void locate_in_cached(const struct plan *plan, const struct plan_link *link,
			     uint32_t offset, struct plan_position *place)
{
	const struct plan_function *caller = plan_function_at(plan, link->site);

	place->function = caller ? plan_index_of(plan, caller) : 0;
	inline_cache_locate_link(plan, gates_stub_of_link(plan, link), offset, link->plt,
				 place);
}

bool gates_locate(const struct plan *plan,
		  const uint8_t *(*original_at)(void *context, uint64_t address,
						size_t size),
		  void *context, uint32_t code_offset, struct plan_position *ret_place)
{
	bool gate = code_offset < plan->gates_size;
	const struct plan_link *link = gate ? NULL : cached_link_of(plan, code_offset);
	const struct plan_function *function;
	const uint8_t *original = NULL;
	uint32_t index;

	if (!gate && !link && (!plan->arcs.count || code_offset < plan->arc_code))
		return false;
	*ret_place = (struct plan_position){.kind = PLAN_POSITION_UNKNOWN,
					    .uncounted = PLAN_ALL_COUNTED};
	if (link) {
		locate_in_cached(plan, link, code_offset, ret_place);
		return true;
	}
	index = gate ? code_offset / gates_size(plan) : callee_of_stub(plan, code_offset);
	if (index >= plan->functions.count)
		return true;
	function = &plan->functions.items[index];
	if (code_offset < plan->code.count && function->reason == PLAN_INSTRUMENTED)
		original = original_at(context, function->address,
				       function->call_end   ? function->call_end
				       : function->size < 4 ? function->size
							    : 4);
	if (!original)
		return true;
	*ret_place = body_of(plan, index, original);
	if (gate)
		locate_in_gate(plan, code_offset,
			       &(const struct plan_position){
				       .kind = function->call_end
						       ? PLAN_POSITION_CALL_UNDO
						       : PLAN_POSITION_PROBE,
				       .function = index,
				       .original = entry_of(function, original),
				       .uncounted = PLAN_ALL_COUNTED},
			       ret_place);
	else if (plan->links.count && code_offset >= plan->link_code)
		locate_in_link(plan, code_offset, ret_place);
	else
		locate_in_stub(plan, code_offset, ret_place);
	return true;
}
