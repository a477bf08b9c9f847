#include "code/calls/call_stubs.h"

#include "base/array.h"
#include "code/calls/gate_layout.h"
#include "code/calls/gates.h"
#include "code/emit/probe.h"
#include "code/plan/plan_rows.h"
#include "code/scan/plt.h"
#include "image/contents.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH = SCAN_CALL_LENGTH, JUMP = 0xe9, SHORT_JUMP = 0xeb };

/* How many calls ahead their bytes, and the entries of their targets, are prefetched:
 * looking those up takes most of the time, as they lie all over the text. */
enum { AHEAD_BYTES = 48, AHEAD_ENTRIES = 24 };

enum { NOWHERE = UINT32_MAX };

/* A jump to an entry from inside of the function, or from a cold part, may be a loop. */
static bool may_be_inner(const struct plan_builder *builder,
			 const struct plan_function *function, uint64_t address)
{
	const struct image *image = builder->image;

	return address - function->address < function->size ||
	       ranges_meet(image->cold_parts.items, image->cold_parts.count, address,
			   address + LENGTH);
}

void call_stubs_note_entrance(struct plan_builder *builder, uint32_t index)
{
	const struct plan *plan = builder->plan;
	const struct plan_function *function = &plan->functions.items[index];
	bool good = function->reason == PLAN_INSTRUMENTED &&
		    !gates_in_call(plan, function) &&
		    (plan->gates_size || !function->call_end);

	builder->entries.entrances[index] =
		good ? gates_entrance(plan, function) : NOWHERE;
}

void call_stubs_list_entrances(struct plan_builder *builder)
{
	const uint32_t count = (uint32_t)builder->plan->functions.count;

	builder->entries.entrances =
		memory_allocate(count * sizeof(*builder->entries.entrances));
	for (uint32_t i = 0; i < count; i++)
		call_stubs_note_entrance(builder, i);
	vector_for_each (&builder->plan->latches, latch)
		if (builder->plan->functions.items[latch->function].trampoline ==
		    PLAN_LATER)
			builder->entries.entrances[latch->function] = latch->code;
}

/* Offset in plan.code to which calls of a function may lead instead of its entry. */
static uint32_t entrance_of(const struct plan_builder *builder,
			    const struct plan_function *function)
{
	return builder->entries.entrances[function - builder->plan->functions.items];
}

/* The function whose entry a call leads to, if the call may be led elsewhere. */
static const struct plan_function *callee_of(const struct plan_builder *builder,
					     uint64_t target)
{
	int64_t index = code_map_function_at(&builder->scan.map, target);

	if (index < 0 || builder->entries.entrances[index] == NOWHERE)
		return NULL;
	return &builder->plan->functions.items[index];
}

/* The instrumented function that a stub of the procedure linkage table leads to; NULL:
 * none. */
static const struct plan_function *callee_of_plt(const struct plan_builder *builder,
						 uint64_t target)
{
	uint64_t function = plt_function(builder->image, target);

	return function ? callee_of(builder, function) : NULL;
}

/* Whether calls of it, or jumps to it, have stubs: it does not take flags, and has no
 * hook. Of Go's functions only calls have, so that return addresses tell which:
 * session/position/settle.c. */
static bool takes_stubs(const struct plan_builder *builder,
			const struct plan_function *callee, bool jump)
{
	return builder->plan->sites && !callee->hook &&
	       !(jump && (callee->flags & IMAGE_FUNCTION_GO)) &&
	       !builder->choices[callee - builder->plan->functions.items].keep_flags;
}

static void add_arc(struct plan_builder *builder, const struct plan_function *callee,
		    uint64_t site, bool jump, bool led)
{
	vector_push(&builder->plan->arcs,
		    ((struct plan_arc){
			    .site = site,
			    .callee = (uint32_t)(callee - builder->plan->functions.items),
			    .jump = jump,
			    .led = led}));
}

static void add_link(struct plan_builder *builder, uint64_t site, uint64_t plt)
{
	vector_push(&builder->plan->links, ((struct plan_link){site, plt}));
}

/* Whether a call at its place can be led elsewhere; the bytes are taken then. */
static bool take_call(const struct plan_builder *builder, uint64_t address)
{
	const struct code_map *map = &builder->scan.map;
	const struct code_segment *segment = code_map_find(map, address, LENGTH);
	size_t offset = address - segment->address;

	return bit_test(segment->starts, offset) &&
	       !bits_any(segment->taken, offset, offset + LENGTH) &&
	       !ranges_meet(builder->image->untouchable.items,
			    builder->image->untouchable.count, address,
			    address + LENGTH) &&
	       code_map_take(map, address + 1, LENGTH - 1);
}

/* Whether a stub behind the present end of plan.code is in reach: see lead_calls. */
static bool reaches_stubs(const struct plan_builder *builder, uint64_t end)
{
	size_t count = builder->scan.calls.count + builder->out.jumps.count + 1;
	uint64_t target = builder->plan->code_address + builder->plan->code.count;
	int64_t first = (int64_t)(target - end);
	int64_t last = first + (int64_t)(count * (GATES_STUB_SIZE + GATES_LINK_SIZE));

	return first == (int32_t)first && last == (int32_t)last;
}

/* Whether the stub of a link reaches all that it names, as that reaches it. */
static bool link_reaches(const struct plan_builder *builder, uint64_t target,
			 const struct plan_function *callee)
{
	return reaches_stubs(builder, target) &&
	       (!callee || reaches_stubs(builder, callee->address)) &&
	       reaches_stubs(builder, plt_word(builder->image, target));
}

/* Whether calls through a stub of the linkage table use inline caches: calls made at
 * their original addresses, if all functions are counted, so that the callees are, too.
 */
static bool takes_caches(const struct plan_builder *builder, uint64_t target)
{
	const struct plan_request *request = builder->request;

	return builder->plan->sites && !builder->returns.copy_calls && !request->live &&
	       !request->wanted && plt_word(builder->image, target) &&
	       link_reaches(builder, target, NULL);
}

/* Whether a call or jump through a stub of the linkage table is led elsewhere; `callee`
 * is the function that this means, NULL: another module's. */
static bool takes_link(const struct plan_builder *builder, uint64_t target,
		       const struct plan_function *callee, bool jump)
{
	if (!callee)
		return !jump && takes_caches(builder, target);
	return takes_stubs(builder, callee, jump) &&
	       link_reaches(builder, target, callee);
}

/* A call or jump that goes through the procedure linkage table. */
static void retarget_link(struct plan_builder *builder, uint64_t address, bool jump,
			  uint64_t target)
{
	const struct plan_function *callee = callee_of_plt(builder, target);
	struct plan_call *call;

	if (!takes_link(builder, target, callee, jump) ||
	    !reaches_stubs(builder, address + LENGTH) || !take_call(builder, address))
		return;
	call = vector_add(&builder->plan->calls);
	call->address = address + 1;
	call->displacement = (int32_t)(target - (address + LENGTH));
	if (callee)
		add_arc(builder, callee, address, jump, true);
	add_link(builder, address, target);
}

static void retarget_call(struct plan_builder *builder, uint64_t address)
{
	const struct code_segment *segment =
		code_map_find(&builder->scan.map, address, LENGTH);
	struct plan *plan = builder->plan;
	uint64_t end = address + LENGTH, target;
	const struct plan_function *callee;
	struct plan_call *call;
	int32_t distance;
	bool jump, stub;

	if (!segment)
		return;
	memcpy(&distance, segment->bytes + (address - segment->address) + 1,
	       sizeof(distance));
	jump = segment->bytes[address - segment->address] == JUMP;
	callee = callee_of(builder, end + (uint64_t)(int64_t)distance);
	if (!callee && plan->gates_size)
		retarget_link(builder, address, jump, end + (uint64_t)(int64_t)distance);
	if (!callee || (jump && may_be_inner(builder, callee, address)))
		return;
	stub = takes_stubs(builder, callee, jump);
	target = plan->code_address + entrance_of(builder, callee);
	distance = (int32_t)(target - end);
	if (end + (uint64_t)(int64_t)distance != target ||
	    (stub ? !reaches_stubs(builder, end)
		  : plan->gates_size && callee->call_end) ||
	    !take_call(builder, address))
		return;
	call = vector_add(&plan->calls);
	call->address = address + 1;
	call->displacement = distance;
	if (stub)
		add_arc(builder, callee, address, jump, true);
}

/* Target of a jump in plan.code. */
static uint64_t target_of(const struct plan *plan, const struct emit_jump *jump)
{
	int32_t distance;

	memcpy(&distance, plan->code.items + jump->offset, sizeof(distance));
	return plan->code_address + jump->offset + sizeof(distance) +
	       (uint64_t)(int64_t)distance;
}

static bool is_jump(const struct plan_builder *builder, uint64_t site)
{
	const uint8_t *code = image_bytes_at(builder->image, site, 1);

	return code && (*code == JUMP || *code == SHORT_JUMP);
}

/* The callee of a jump in plan.code, if it may be led elsewhere. */
static const struct plan_function *callee_of_jump(const struct plan_builder *builder,
						  const struct emit_jump *jump)
{
	const struct plan_function *callee =
		callee_of(builder, target_of(builder->plan, jump));

	if (!callee ||
	    (is_jump(builder, jump->site) && may_be_inner(builder, callee, jump->site)))
		return NULL;
	return callee;
}

/* Calls and jumps that trampolines make, also through the procedure linkage table. */
static void add_arcs_of_jumps(struct plan_builder *builder)
{
	vector_for_each (&builder->out.jumps, jump) {
		const struct plan_function *callee = callee_of_jump(builder, jump);
		bool jumps = is_jump(builder, jump->site);
		uint64_t target = target_of(builder->plan, jump);

		if (!callee) {
			callee = callee_of_plt(builder, target);
			if (takes_link(builder, target, callee, jumps))
				add_link(builder, jump->site, target);
			else
				callee = NULL;
		}
		if (callee && takes_stubs(builder, callee, jumps))
			add_arc(builder, callee, jump->site, jumps, jump->counted);
	}
}

COMPARE_BY(by_site, struct plan_arc, site);

static void sort_arcs(struct plan *plan)
{
	size_t kept = 0;

	if (!plan->arcs.count)
		return;
	qsort(plan->arcs.items, plan->arcs.count, sizeof(*plan->arcs.items), by_site);
	for (size_t i = 1; i < plan->arcs.count; i++)
		if (by_site(&plan->arcs.items[kept], &plan->arcs.items[i]))
			plan->arcs.items[++kept] = plan->arcs.items[i];
		else
			plan->arcs.items[kept].led |= plan->arcs.items[i].led;
	plan->arcs.count = kept + 1;
}

COMPARE_BY(by_link, struct plan_link, site);

static void sort_links(struct plan *plan)
{
	size_t kept = 0;

	if (!plan->links.count)
		return;
	qsort(plan->links.items, plan->links.count, sizeof(*plan->links.items), by_link);
	for (size_t i = 1; i < plan->links.count; i++)
		if (by_link(&plan->links.items[kept], &plan->links.items[i]))
			plan->links.items[++kept] = plan->links.items[i];
	plan->links.count = kept + 1;
}

/* The offset in plan.code of the stub of a call or jump; 0: it has none. */
static uint32_t stub_of(const struct plan *plan, uint64_t site)
{
	const struct plan_arc *arc = plan_arc_at(plan, site);
	const struct plan_link *link = plan_link_at(plan, site);

	if (link)
		return gates_stub_of_link(plan, link);
	if (!arc)
		return 0;
	return plan->arc_code + (uint32_t)(arc - plan->arcs.items) * GATES_STUB_SIZE;
}

/* The probe in front of a call in relocated code gets the counter of its arc, and becomes
 * a nop if it has none. Where the call leads then, link-time; 0: where it would without a
 * probe. */
static uint64_t count_jump(struct plan *plan, const struct emit_jump *jump,
			   const struct plan_function *callee)
{
	const struct plan_arc *arc = callee ? plan_arc_at(plan, jump->site) : NULL;
	uint8_t *probe = plan->code.items + jump->offset - 1 - PROBE_COUNT_SIZE;
	uint32_t slot;

	if (!arc || callee != &plan->functions.items[arc->callee]) {
		probe_omit(probe);
		return 0;
	}
	slot = (plan->arc_slot + (uint32_t)(arc - plan->arcs.items)) * plan->slot_size;
	memcpy(probe + PROBE_COUNT_SLOT, &slot, sizeof(slot));
	return gates_counted(plan, callee);
}

/* New target of a jump in plan.code, link-time; 0: unchanged. */
static uint64_t new_target(const struct plan_builder *builder,
			   const struct emit_jump *jump)
{
	struct plan *plan = builder->plan;
	const struct plan_function *callee = callee_of_jump(builder, jump);
	uint64_t counted = jump->counted ? count_jump(plan, jump, callee) : 0;
	uint32_t to = 0;

	if (counted)
		return counted;
	if (callee || plan_link_at(plan, jump->site))
		to = stub_of(plan, jump->site);
	if (!to && callee && !callee->call_end)
		to = entrance_of(builder, callee);
	return to ? plan->code_address + to : 0;
}

/* Code reaches all that its own calls did: see emit_relative. */
void call_stubs_lead(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;

	vector_for_each (&builder->out.jumps, jump) {
		uint64_t target = new_target(builder, jump);
		uint64_t end = plan->code_address + jump->offset + LENGTH - 1;
		int32_t distance = (int32_t)(target - end);

		if (target)
			memcpy(plan->code.items + jump->offset, &distance,
			       sizeof(distance));
	}
}

/* Calls at their places, now that the stubs have theirs. */
static void lead_calls(struct plan *plan)
{
	vector_for_each (&plan->calls, call) {
		uint32_t stub = stub_of(plan, call->address - 1);

		if (stub)
			call->displacement = (int32_t)(plan->code_address + stub -
						       (call->address + LENGTH - 1));
	}
}

COMPARE_BY(by_address, struct plan_call, address);

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
		code_map_prefetch(&scan->map, calls[index + AHEAD_BYTES]);
	if (index + AHEAD_ENTRIES >= count)
		return;
	target = calls[index + AHEAD_ENTRIES];
	segment = code_map_find(&scan->map, target, LENGTH);
	if (!segment)
		return;
	memcpy(&distance, segment->bytes + (target - segment->address) + 1,
	       sizeof(distance));
	target += LENGTH + (uint64_t)(int64_t)distance - segment->address;
	if (target < segment->size)
		__builtin_prefetch(&segment->first[target / CODE_BLOCK]);
}

void call_stubs_retarget(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;

	call_stubs_list_entrances(builder);
	for (size_t i = 0; i < builder->scan.calls.count; i++) {
		look_ahead(&builder->scan, i);
		retarget_call(builder, builder->scan.calls.items[i]);
	}
	sort_calls(&plan->calls);
	if (plan->gates_size) {
		add_arcs_of_jumps(builder);
		sort_arcs(plan);
		sort_links(plan);
		gates_write_stubs(builder);
		lead_calls(plan);
	}
	call_stubs_lead(builder);
	free(builder->entries.entrances);
	builder->entries.entrances = NULL;
}
