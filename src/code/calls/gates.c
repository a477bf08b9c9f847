#include "code/calls/gates.h"

#include "code/calls/gate_forms.h"
#include "code/calls/gate_layout.h"
#include "code/calls/spans.h"
#include "code/emit/probe.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/relocate/inline_cache.h"
#include "code/scan/dead_registers.h"
#include "code/scan/plt.h"

#include <string.h>

static uint32_t round_up(uint32_t count, uint32_t to)
{
	return (count + to - 1) / to * to;
}

void gates_reserve(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;
	size_t count = builder->image->functions.count;

	if (!gates_wanted(builder->request))
		return;
	plan->counts_entries = builder->request->depth >= PLAN_POINTS;
	plan->sites = builder->request->calls;
	plan->graph = builder->request->graph;
	plan->spans = builder->request->spans;
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

/* A gate may change rax where it is dead, if it has the return address at rsp. */
static enum gate_form graph_form(const struct plan_builder *builder, uint32_t index)
{
	const struct plan_function *function = &builder->plan->functions.items[index];

	if (builder->choices[index].keep_flags)
		return GATE_GRAPH_KEEP_FLAGS;
	if (builder->entries.dead_rax[index] && !function->call_end)
		return function->map_row_count ? GATE_GRAPH_FREE : GATE_TALLY_FREE;
	return function->map_row_count ? GATE_GRAPH : GATE_TALLY;
}

static void write_site(const struct plan_builder *builder, struct emitter *emitter,
		       uint32_t index, struct gate gate)
{
	const struct plan *plan = builder->plan;
	const struct plan_function *function = &plan->functions.items[index];

	gate.form = builder->choices[index].keep_flags ? GATE_KEEP_FLAGS : GATE_CELL;
	gate.slot = (plan->cells_slot + index * PLAN_GATE_SLOTS) * plan->slot_size;
	gate.routine = builder->request->hook_layout.arc;
	gate.target = gates_behind_part(plan, function, GATES_SITE);
	gate_emit(emitter, &gate);
}

/* The gate of a function that is no span only jumps on. */
static void write_span(const struct plan_builder *builder, struct emitter *emitter,
		       uint32_t index, struct gate gate)
{
	const struct plan *plan = builder->plan;

	gate.form = GATE_PASS;
	gate.target = gates_behind_part(plan, &plan->functions.items[index], GATES_SPAN);
	if (builder->entries.names[index]) {
		gate.form = GATE_SPAN;
		gate.routine = builder->request->hook_layout.span_begin;
		gate.name = spans_name(builder, index);
	}
	gate_emit(emitter, &gate);
}

/* Returns are seen of functions relocated whole. */
static void write_graph(const struct plan_builder *builder, struct emitter *emitter,
			uint32_t index, struct gate gate)
{
	const struct plan *plan = builder->plan;
	const struct plan_hook_layout *layout = &builder->request->hook_layout;

	gate.form = graph_form(builder, index);
	gate.slot = index * PLAN_GRAPH_SLOTS * plan->slot_size;
	gate.routine = layout->enter;
	if (!plan->functions.items[index].map_row_count) {
		gate.slot += layout->graph.leaf;
		gate.routine = layout->tally;
	}
	gate_emit(emitter, &gate);
}

/* Writers of the parts of a gate. */
static void (*const writers[GATES_PARTS])(const struct plan_builder *builder,
					  struct emitter *emitter, uint32_t index,
					  struct gate gate) = {
	[GATES_SITE] = write_site,
	[GATES_SPAN] = write_span,
	[GATES_GRAPH] = write_graph,
};

static void write_gate(const struct plan_builder *builder, struct emitter *emitter,
		       uint32_t index)
{
	const struct plan *plan = builder->plan;
	const struct plan_function *function = &plan->functions.items[index];
	struct gate gate = {
		.form = GATE_PLAIN,
		.slot = plan_lost_slot(plan, index) * plan->slot_size,
		.number = index,
		.graph = &builder->request->hook_layout.graph,
		.target = plan->code_address + gates_body(plan, function),
	};

	if (function->call_end)
		gate.depth = builder->choices[index].call_depth + 8u;
	emitter->count = (size_t)index * gates_size(plan);
	if (!gates_has_one(plan, function)) {
		if (!plan->sites && !plan->graph)
			gate.form = GATE_PASS;
		gate_emit(emitter, &gate);
		return;
	}
	for (unsigned part = 0; part < GATES_PARTS; part++) {
		emitter->count = gates_part_of(plan, function, part);
		if (gates_part_size(plan, part))
			writers[part](builder, emitter, index, gate);
	}
}

void gates_write(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;

	if (!plan->gates_size)
		return;
	if (builder->request->spans)
		spans_write_names(builder);
	if (plan->graph)
		builder->entries.dead_rax = dead_registers_find(builder->image);
	struct emitter emitter = builder_emitter(builder);

	for (uint32_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];

		if (function->reason == PLAN_INSTRUMENTED &&
		    !plan_is_cold_part(function) &&
		    (!function->call_end || gates_in_call(plan, function)))
			write_gate(builder, &emitter, i);
	}
}

/* Counts an arc, and goes on to its callee. */
static void emit_stub(struct emitter *emitter, const struct plan_arc *arc)
{
	const struct plan *plan = emitter->plan;
	const struct plan_function *callee = &plan->functions.items[arc->callee];
	uint32_t slot = plan->arc_slot + (uint32_t)(arc - plan->arcs.items);

	probe_emit(emitter, PROBE_COUNT, slot * plan->slot_size, 0, PLAN_POSITION_PROBE);
	emit_jump(emitter, gates_counted(plan, callee));
}

static void emit_link(struct emitter *emitter, const struct plan_link *link,
		      uint64_t word)
{
	const struct plan_arc *arc = plan_arc_at(emitter->plan, link->site);

	if (!arc) {
		inline_cache_emit_link(emitter, word, link->plt);
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

void gates_write_stubs(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;
	struct emitter emitter = {.address = plan->code_address,
				  .plan = plan,
				  .cached = &builder->out.cached};

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
		emit_link(&emitter, link, plt_word(builder->image, link->plt));
		fill_up(&emitter, plan->link_code, GATES_LINK_SIZE);
	}
	plan->code.count = emitter.count;
}
