#include "code/gates.h"

#include "code/dead.h"
#include "code/entry_call.h"
#include "code/gate_forms.h"
#include "code/inline_cache.h"
#include "code/probe.h"
#include "code/spans.h"
#include "code/steps.h"
#include "code/trampoline.h"

#include <string.h>

/* What a gate consists of, in this order. */
enum part { SITE, SPAN, GRAPH, PARTS };

/* Bytes of a part. */
static uint32_t part_size(const struct plan *plan, unsigned part)
{
	const uint32_t sizes[PARTS] = {
		[SITE] = plan->sites ? GATES_SITE_SIZE : 0,
		[SPAN] = plan->spans ? GATES_SPAN_SIZE : 0,
		[GRAPH] = plan->graph ? GATES_GRAPH_SIZE : 0,
	};

	return sizes[part];
}

/* Bytes in front of a part, and of all. */
static uint32_t part_start(const struct plan *plan, unsigned part)
{
	uint32_t start = 0;

	for (unsigned i = 0; i < part; i++)
		start += part_size(plan, i);
	return start;
}

static uint32_t gates_size(const struct plan *plan)
{
	return part_start(plan, PARTS);
}

static uint32_t round_up(uint32_t count, uint32_t to)
{
	return (count + to - 1) / to * to;
}

void gates_reserve(struct making *making)
{
	struct plan *plan = making->plan;
	size_t count = making->image->functions.count;

	if (!gates_wanted(making->request))
		return;
	plan->counts_entries = making->request->depth >= PLAN_BLOCKS;
	plan->sites = making->request->calls;
	plan->graph = making->request->graph;
	plan->spans = making->request->spans;
	plan->gates_size = (uint32_t)(count * gates_size(plan));
	if (plan->graph)
		plan->cells_slot =
			round_up((uint32_t)count * PLAN_GRAPH_SLOTS, PLAN_GRAPH_ROW);
	plan->slot_count = plan->cells_slot;
	if (plan->sites)
		plan->slot_count += (uint32_t)count * PLAN_GATE_SLOTS;
	vector_reserve(&plan->code, plan->gates_size);
	memset(plan->code.items, 0xcc, plan->gates_size);
	plan->code.count = plan->gates_size;
}

static uint32_t index_of(const struct plan *plan, const struct plan_function *function)
{
	return (uint32_t)(function - plan->functions.items);
}

bool gates_in_call(const struct plan *plan, const struct plan_function *function)
{
	return plan->gates_size && function->call_end && !plan_is_part(function) &&
	       (!plan->counts_entries || plan->graph || plan->spans ||
		!function->step_count);
}

uint32_t gates_entrance(const struct plan *plan, const struct plan_function *function)
{
	if (!plan->gates_size || function->hook || plan_is_part(function) ||
	    (function->call_end && !gates_in_call(plan, function)))
		return function->trampoline;
	return index_of(plan, function) * gates_size(plan);
}

uint64_t gates_of_hooked(const struct plan *plan, const struct plan_function *function)
{
	if (!plan->gates_size || !function->hook || function->reason != PLAN_INSTRUMENTED)
		return 0;
	return plan->code_address + index_of(plan, function) * gates_size(plan);
}

uint32_t gates_body(const struct plan *plan, const struct plan_function *function)
{
	/* The stub of the first block. */
	if (gates_in_call(plan, function) && function->step_count)
		return plan->stubs.items[function->first_stub].code;
	return function->trampoline +
	       (gates_of_hooked(plan, function) ? TRAMPOLINE_GATED_HOOK : 0);
}

/* Goroutines' stacks have no room for what gates do: theirs only count, or lead on. */
static bool has_gate(const struct plan *plan, const struct plan_function *function)
{
	return function->reason == PLAN_INSTRUMENTED && !plan_is_part(function) &&
	       (!function->call_end || gates_in_call(plan, function)) &&
	       !(function->flags & IMAGE_FUNCTION_GO);
}

/* Where in plan.code a part of it is. */
static uint32_t part_of(const struct plan *plan, const struct plan_function *function,
			enum part part)
{
	return index_of(plan, function) * gates_size(plan) + part_start(plan, part);
}

/* Where a function goes on behind a part of its gate, link-time. */
static uint64_t behind_part(const struct plan *plan, const struct plan_function *function,
			    enum part part)
{
	if (has_gate(plan, function) && part_start(plan, part + 1u) < gates_size(plan))
		return plan->code_address + part_of(plan, function, part + 1u);
	return plan->code_address + gates_body(plan, function);
}

/* Whether its gate tells of calls in their contexts; and as spans. */
static bool tells_graph(const struct plan *plan, const struct plan_function *function)
{
	return plan->graph && has_gate(plan, function);
}

static bool tells_span(const struct plan *plan, const struct plan_function *function)
{
	return plan->spans && has_gate(plan, function) &&
	       gate_form_at(plan->code.items + part_of(plan, function, SPAN), true) ==
		       GATE_SPAN;
}

uint64_t gates_counted(const struct plan *plan, const struct plan_function *function)
{
	/* The entry of such a function is as it was. */
	if (function->call_end)
		return function->address;
	return behind_part(plan, function, SITE);
}

uint64_t gates_passed(const struct plan *plan, const struct plan_function *function)
{
	if (!plan->sites || !has_gate(plan, function) || function->call_end ||
	    function->hook ||
	    gate_form_at(plan->code.items + part_of(plan, function, SITE), true) !=
		    GATE_CELL)
		return 0;
	return gates_counted(plan, function);
}

/* A gate may change rax where it is dead, if it has the return address at rsp. */
static enum gate_form graph_form(const struct making *making, uint32_t index)
{
	const struct plan_function *function = &making->plan->functions.items[index];

	if (making->choices[index].keep_flags)
		return GATE_GRAPH_KEEP_FLAGS;
	if (making->dead[index] && !function->call_end)
		return function->step_count ? GATE_GRAPH_FREE : GATE_TALLY_FREE;
	return function->step_count ? GATE_GRAPH : GATE_TALLY;
}

static void write_site(const struct making *making, struct emitter *emitter,
		       uint32_t index, struct gate gate)
{
	const struct plan *plan = making->plan;
	const struct plan_function *function = &plan->functions.items[index];

	gate.form = making->choices[index].keep_flags ? GATE_KEEP_FLAGS : GATE_CELL;
	gate.slot = (plan->cells_slot + index * PLAN_GATE_SLOTS) * plan->slot_size;
	gate.routine = making->request->hook_layout.arc;
	gate.target = behind_part(plan, function, SITE);
	gate_emit(emitter, &gate);
}

/* That of what is no span leads on. */
static void write_span(const struct making *making, struct emitter *emitter,
		       uint32_t index, struct gate gate)
{
	const struct plan *plan = making->plan;

	gate.form = GATE_PASS;
	gate.target = behind_part(plan, &plan->functions.items[index], SPAN);
	if (making->names[index]) {
		gate.form = GATE_SPAN;
		gate.routine = making->request->hook_layout.span_begin;
		gate.name = spans_name(making, index);
	}
	gate_emit(emitter, &gate);
}

/* Returns are seen of functions relocated whole. */
static void write_graph(const struct making *making, struct emitter *emitter,
			uint32_t index, struct gate gate)
{
	const struct plan *plan = making->plan;
	const struct plan_hook_layout *layout = &making->request->hook_layout;

	gate.form = graph_form(making, index);
	gate.slot = index * PLAN_GRAPH_SLOTS * plan->slot_size;
	gate.routine = layout->enter;
	if (!plan->functions.items[index].step_count) {
		gate.slot += layout->graph.leaf;
		gate.routine = layout->tally;
	}
	gate_emit(emitter, &gate);
}

/* How its parts are written. */
static void (*const writers[PARTS])(const struct making *making, struct emitter *emitter,
				    uint32_t index, struct gate gate) = {
	[SITE] = write_site,
	[SPAN] = write_span,
	[GRAPH] = write_graph,
};

static void write_gate(const struct making *making, struct emitter *emitter,
		       uint32_t index)
{
	const struct plan *plan = making->plan;
	const struct plan_function *function = &plan->functions.items[index];
	struct gate gate = {
		.form = GATE_PLAIN,
		.slot = plan_lost_slot(plan, index) * plan->slot_size,
		.number = index,
		.graph = &making->request->hook_layout.graph,
		.target = plan->code_address + gates_body(plan, function),
	};

	if (function->call_end)
		gate.depth = making->choices[index].call_depth + 8u;
	emitter->count = (size_t)index * gates_size(plan);
	if (!has_gate(plan, function)) {
		if (!plan->sites && !plan->graph)
			gate.form = GATE_PASS;
		gate_emit(emitter, &gate);
		return;
	}
	for (unsigned part = 0; part < PARTS; part++) {
		emitter->count = part_of(plan, function, part);
		if (part_size(plan, part))
			writers[part](making, emitter, index, gate);
	}
}

void gates_write(struct making *making)
{
	struct plan *plan = making->plan;

	if (!plan->gates_size)
		return;
	if (making->request->spans)
		spans_write_names(making);
	if (plan->graph)
		making->dead = dead_find(making->image);
	struct emitter emitter = making_emitter(making);

	for (uint32_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];

		if (function->reason == PLAN_INSTRUMENTED && !plan_is_part(function) &&
		    (!function->call_end || gates_in_call(plan, function)))
			write_gate(making, &emitter, i);
	}
}

uint64_t gates_word_of_plt(const struct image *image, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	enum { BND = 0xf2, JUMP = 6 }; /* jmp *word(%rip) */
	const uint8_t *code = image_bytes_at(image, address, sizeof(endbr64) + 1 + JUMP);
	const uint8_t *start = code;
	int32_t distance;

	if (!code || !ranges_meet(image->plt.items, image->plt.count, address,
				  address + sizeof(endbr64) + 1 + JUMP))
		return 0;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		code += sizeof(endbr64);
	code += *code == BND;
	if (code[0] != 0xff || code[1] != 0x25)
		return 0;
	memcpy(&distance, code + 2, sizeof(distance));
	return address + (uint64_t)(code - start) + JUMP + (uint64_t)(int64_t)distance;
}

uint64_t gates_function_of_plt(const struct image *image, uint64_t address)
{
	uint64_t word = image->links.count ? gates_word_of_plt(image, address) : 0;
	const struct image_link *link = word ? image_link_at(image, word) : NULL;

	return link ? link->function : 0;
}

/* Counts an arc, and goes on to its callee. */
static void emit_stub(struct emitter *emitter, const struct plan_arc *arc)
{
	const struct plan *plan = emitter->plan;
	const struct plan_function *callee = &plan->functions.items[arc->callee];
	uint32_t slot = plan->arc_slot + (uint32_t)(arc - plan->arcs.items);

	probe_emit(emitter, PROBE_COUNT, slot * plan->slot_size, 0, PLAN_PLACE_PROBE);
	emit_jump(emitter, gates_counted(plan, callee));
}

static void emit_link(struct emitter *emitter, const struct plan_link *link,
		      uint64_t word)
{
	const struct plan_arc *arc = plan_arc_at(emitter->plan, link->site);

	if (!arc) {
		inline_emit_link(emitter, word, link->plt);
		return;
	}
	/* lea callee(%rip), %r11 */
	emit_bytes(emitter, (const uint8_t[]){0x4c, 0x8d, 0x1d}, 3);
	emit_relative(emitter, emitter->plan->functions.items[arc->callee].address, 0);
	/* cmp %r11, word(%rip) */
	emit_bytes(emitter, (const uint8_t[]){0x4c, 0x39, 0x1d}, 3);
	emit_relative(emitter, word, 0);
	emit_bytes(emitter, (const uint8_t[]){0x0f, 0x85}, 2); /* jne plt */
	emit_relative(emitter, link->plt, 0);
	emit_stub(emitter, arc);
}

static void fill_up(struct emitter *emitter, size_t start, size_t size)
{
	while ((emitter->count - start) % size)
		emit_byte(emitter, 0xcc);
}

void gates_write_stubs(struct making *making)
{
	struct plan *plan = making->plan;
	struct emitter emitter = {
		.address = plan->code_address, .plan = plan, .cached = &making->cached};

	while (plan->code.count % GATES_STUB_SIZE)
		vector_push(&plan->code, 0xcc);
	plan->arc_code = (uint32_t)plan->code.count;
	plan->arc_slot = plan->slot_count;
	plan->slot_count += (uint32_t)plan->arcs.count;
	vector_reserve(&plan->code, plan->code.count +
					    plan->arcs.count * GATES_STUB_SIZE +
					    plan->links.count * GATES_LINK_SIZE);
	emitter.code = plan->code.items;
	emitter.count = plan->code.count;
	emitter.capacity = plan->code.capacity;
	vector_for_each (&plan->arcs, arc) {
		emit_stub(&emitter, arc);
		fill_up(&emitter, plan->arc_code, GATES_STUB_SIZE);
	}
	plan->link_code = (uint32_t)emitter.count;
	vector_for_each (&plan->links, link) {
		emit_link(&emitter, link, gates_word_of_plt(making->image, link->plt));
		fill_up(&emitter, plan->link_code, GATES_LINK_SIZE);
	}
	plan->code.count = emitter.count;
}

uint64_t gates_callee(const struct plan_function *function, const uint8_t *original,
		      bool *ret_word)
{
	const struct entry_call call =
		entry_call_read(original, function->address, function->call_end);

	*ret_word = call.word;
	return call.target;
}

/* Where a thread is shown that has not counted: at the jump at the entry, or at the call.
 */
static uint64_t entry_of(const struct plan_function *function, const uint8_t *original)
{
	if (function->call_end)
		return entry_call_read(original, function->address, function->call_end)
			.call;
	return function->address + trampoline_patch_offset(original, function->size);
}

/* The place of a thread that enters a function, counted as called from somewhere. */
static struct plan_place body_of(const struct plan *plan, uint32_t index,
				 const uint8_t *original)
{
	const struct plan_function *function = &plan->functions.items[index];
	struct plan_place place = {.kind = PLAN_PLACE_START,
				   .function = index,
				   .original = entry_of(function, original),
				   .uncounted = PLAN_ALL_COUNTED};

	if (gates_in_call(plan, function)) {
		place.kind = PLAN_PLACE_CALL_DONE;
		place.original = gates_callee(function, original, &place.word);
		if (plan->counts_entries)
			place.uncounted[0] = function->slot * plan->slot_size;
	} else if (function->call_end) {
		place.kind = PLAN_PLACE_CALL_DONE;
		place.original = function->address;
	} else if (function->step_count) {
		place = steps_locate(plan, function, function->trampoline);
	} else if (plan->counts_entries) {
		place.uncounted[0] = function->slot * plan->slot_size;
	}
	place.enters = tells_graph(plan, function);
	place.untold = plan->sites && tells_span(plan, function);
	if (place.enters && function->call_end)
		place.depth =
			gate_depth(plan->code.items + part_of(plan, function, GRAPH));
	return place;
}

/* Where a thread goes on that has done all up to a part: it is at its entry as long as
 * nothing was told. `place` is that of what goes on behind the first part. */
static struct plan_place place_before(const struct plan *plan,
				      const struct plan_function *function, unsigned part,
				      const struct plan_place *entry,
				      struct plan_place place)
{
	const bool counted = part > SITE && plan->sites;
	const bool told = part > SPAN && tells_span(plan, function);

	if (part < PARTS && !counted && !told)
		return *entry;
	place.untold &= part <= SPAN;
	place.enters &= part <= GRAPH;
	return place;
}

/* `place` is that of the body, and `entry` that of a thread that has not counted. */
static void locate_in_gate(const struct plan *plan, uint32_t offset,
			   const struct plan_place *entry, struct plan_place *place)
{
	struct plan_place body = *place;
	struct emit_marks marks = {.count = 0};
	uint8_t scratch[GATES_GRAPH_SIZE];
	struct emitter emitter = {
		.code = scratch, .capacity = sizeof(scratch), .marks = &marks};
	const struct plan_function *function =
		&plan->functions.items[offset / gates_size(plan)];
	uint32_t start = offset - offset % gates_size(plan);
	unsigned part = 0;

	while (part_start(plan, part + 1) <= offset - start)
		part++;
	start += part_start(plan, part);
	const uint8_t *code = plan->code.items + start;
	struct gate gate = {.form = gate_form_at(code, function->step_count)};

	gate_emit(&emitter, &gate);
	place->kind = PLAN_PLACE_UNKNOWN;
	for (size_t i = 0; i < marks.count; i++) {
		const struct emit_mark *mark = &marks.items[i];

		if (mark->offset != offset - start)
			continue;
		if (mark->kind == PLAN_PLACE_START)
			part = has_gate(plan, function) ? part + 1 : PARTS;
		*place = place_before(plan, function, part, entry, body);
		place->stack = mark->stack;
		place->pushed = mark->pushed;
		place->flags = mark->flags;
		place->kept = mark->kept;
	}
}

/* In a stub that has not counted yet, the thread counts by hand. */
static void locate_in_stub(const struct plan *plan, uint32_t offset,
			   struct plan_place *place)
{
	uint32_t index = (offset - plan->arc_code) / GATES_STUB_SIZE;
	uint32_t at = (offset - plan->arc_code) % GATES_STUB_SIZE;

	if (!at)
		place->uncounted[2] = (plan->arc_slot + index) * plan->slot_size;
	else if (at != PROBE_COUNT_SIZE)
		place->kind = PLAN_PLACE_UNKNOWN;
}

/* In that of a link it goes on to the linkage table. */
static void locate_in_link(const struct plan *plan, uint32_t offset,
			   struct plan_place *place)
{
	enum { CMP = 7, JNE = 14, COUNT = 20 };
	const struct plan_link *link =
		&plan->links.items[(offset - plan->link_code) / GATES_LINK_SIZE];
	uint32_t at = (offset - plan->link_code) % GATES_LINK_SIZE;

	if (!at || at == CMP || at == JNE || at == COUNT)
		*place = (struct plan_place){.kind = PLAN_PLACE_CALL_DONE,
					     .function = place->function,
					     .original = link->plt,
					     .uncounted = PLAN_ALL_COUNTED};
	else if (at != COUNT + PROBE_COUNT_SIZE)
		place->kind = PLAN_PLACE_UNKNOWN;
}

/* The link whose stub is at an offset; NULL: there is none. */
static const struct plan_link *link_of_stub(const struct plan *plan, uint32_t offset)
{
	const uint32_t number = (offset - plan->link_code) / GATES_LINK_SIZE;

	if (offset < plan->link_code || number >= plan->links.count)
		return NULL;
	return &plan->links.items[number];
}

/* The callee of the stub at an offset; the number of functions: there is none. */
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

/* The link whose stub is at an offset, and has a cache; NULL: there is none. */
static const struct plan_link *cached_link_of(const struct plan *plan, uint32_t offset)
{
	const struct plan_link *link = link_of_stub(plan, offset);

	return has_cache(plan, link) ? link : NULL;
}

uint32_t gates_stub_of_link(const struct plan *plan, const struct plan_link *link)
{
	return plan->link_code + (uint32_t)(link - plan->links.items) * GATES_LINK_SIZE;
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
	    !inline_has_compared_link(gates_stub_of_link(plan, link), code_offset))
		return false;
	*ret_slot = inline_cache_of_link(plan, gates_stub_of_link(plan, link));
	return true;
}

/* The thread's own function is that of the call. */
static void locate_in_cached(const struct plan *plan, const struct plan_link *link,
			     uint32_t offset, struct plan_place *place)
{
	const struct plan_function *caller = plan_function_at(plan, link->site);

	place->function = caller ? index_of(plan, caller) : 0;
	inline_locate_link(plan, gates_stub_of_link(plan, link), offset, link->plt,
			   place);
}

bool gates_locate(const struct plan *plan,
		  const uint8_t *(*original_at)(void *context, uint64_t address,
						size_t size),
		  void *context, uint32_t code_offset, struct plan_place *ret_place)
{
	bool gate = code_offset < plan->gates_size;
	const struct plan_link *link = gate ? NULL : cached_link_of(plan, code_offset);
	const struct plan_function *function;
	const uint8_t *original = NULL;
	uint32_t index;

	if (!gate && !link && (!plan->arcs.count || code_offset < plan->arc_code))
		return false;
	*ret_place = (struct plan_place){.kind = PLAN_PLACE_UNKNOWN,
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
			       &(const struct plan_place){
				       .kind = function->call_end ? PLAN_PLACE_CALL_UNDO
								  : PLAN_PLACE_PROBE,
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
