/* Functions with counters in their blocks: see code/relocate/whole.h for how they are
 * run. */
#include "code/planner/blocks.h"

#include "code/builder/plan_builder.h"
#include "code/calls/gate_layout.h"
#include "code/calls/spans.h"
#include "code/entry/trampoline.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/counter_placement.h"
#include "code/relocate/dominator_coverage.h"
#include "code/relocate/switches.h"
#include "code/relocate/whole_emit.h"
#include "code/scan/cold_parts.h"
#include "image/find.h"

#include <string.h>

enum { ALIGNMENT = 16 };

static uint64_t entry_of(const struct plan_builder *builder, uint32_t index)
{
	const struct image_function *function = &builder->image->functions.items[index];

	return function->address + (builder->scan.traits[index] & SCAN_MARKED ? 4 : 0);
}

/* Functions that return flags are known only once all their callers have been seen. */
static void note_flag_calls(struct plan_builder *builder)
{
	vector_for_each (&builder->current.cfg.flag_calls, target) {
		/* Assembly without symbols may be entered in the middle of others. */
		const struct image_function *row =
			image_function_around(builder->image, *target);
		size_t callee;

		if (!row)
			continue;
		callee = cold_parts_owner(
			builder->image,
			(uint32_t)(row - builder->image->functions.items));
		if (!builder->flags.returned)
			builder->flags.returned = memory_allocate_zeroed(
				builder->image->functions.count, sizeof(bool));
		if (!builder->flags.returned[callee])
			builder->flags.found = true;
		builder->flags.returned[callee] = true;
	}
}

static bool build_cfg(struct plan_builder *builder, uint32_t index)
{
	builder->current.cfg.returns_flags =
		builder->flags.returned &&
		builder->flags.returned[cold_parts_owner(builder->image, index)];
	builder->current.cfg.exits = builder->request->exits;
	if (cfg_build(&builder->current.cfg, &builder->scan, builder->image, index))
		return false;
	note_flag_calls(builder);
	return true;
}

/* A sum of others would not tell in which of the blocks a thread stands when counting
 * begins or ends, so it is of whole runs only. */
static void choose_sums_of_blocks(struct plan_builder *builder)
{
	if (builder->current.whole.live)
		block_sums_choose_none(&builder->current.sums, &builder->current.cfg);
	else if (builder->current.whole.flags)
		dominator_coverage_choose(&builder->current.sums, &builder->current.cfg,
					  builder->request->in_parts);
	else
		block_sums_choose(&builder->current.sums, &builder->current.cfg);
}

/* Adds flags in all loops and at targets of jump tables, whose addresses a function may
 * keep: there relocated code returns to the original, see code/unpatch/unpatch.h. */
static void flag_more(struct plan_builder *builder)
{
	struct block_sum *sums = builder->current.sums.blocks.items;

	vector_for_each (&builder->current.cfg.edges, edge)
		if (edge->to != CFG_OUT &&
		    (edge->kind == CFG_EDGE_SWITCH ||
		     (edge->to <= edge->from && sums[edge->from].count)))
			sums[edge->to].count = 0;
	for (size_t i = 0; i < builder->current.cfg.blocks.count; i++)
		if (builder->current.cfg.blocks.items[i].exposed)
			sums[i].count = 0;
}

/* Nothing leads to a block that has no edge into it. */
static void choose_block_slots(struct plan_builder *builder)
{
	const struct cfg *cfg = &builder->current.cfg;
	struct whole *whole = &builder->current.whole;
	struct plan *plan = builder->plan;
	const uint32_t size = plan->slot_size;

	if (whole_needs_entry_slot(whole))
		whole->blocks.items[0].slot = plan->slot_count++ * size;
	vector_for_each (&cfg->edges, edge)
		if (edge->to != CFG_OUT && edge->to &&
		    whole->blocks.items[edge->to].slot == WHOLE_NONE)
			whole->blocks.items[edge->to].slot = 0;
	choose_sums_of_blocks(builder);
	if (whole->flags)
		flag_more(builder);
	for (size_t i = 1; i < cfg->blocks.count; i++) {
		uint32_t *slot = &whole->blocks.items[i].slot;

		if (builder->current.sums.blocks.items[i].count)
			*slot = WHOLE_NONE;
		else if (!*slot || cfg->blocks.items[i].exposed)
			*slot = plan->slot_count++ * size;
	}
}

/* Notes the successors of blocks: see code/unpatch/unpatch.h. */
static void note_ways(const struct cfg *cfg, struct plan_block *blocks)
{
	vector_for_each (&cfg->edges, edge) {
		if (edge->to == CFG_OUT)
			continue;
		if (edge->kind == CFG_EDGE_FALL)
			blocks[edge->from].flags |= PLAN_BLOCK_FALLS;
		else if (edge->kind == CFG_EDGE_TAKEN)
			blocks[edge->from].to = edge->to;
		else
			blocks[edge->to].flags |= PLAN_BLOCK_LED;
	}
}

static unsigned block_flags(const struct cfg *cfg, uint32_t index)
{
	const struct cfg_block *block = &cfg->blocks.items[index];
	unsigned flags = 0;

	if (cfg_may_stay(cfg, index))
		flags |= PLAN_BLOCK_STAYS;
	if (index && block->exposed)
		flags |= PLAN_BLOCK_ENTERED;
	for (uint32_t i = 0; cfg->tables.count && i < block->count; i++)
		if (switches_named(cfg, &cfg->instructions.items[block->first + i]))
			flags |= PLAN_BLOCK_NAMES;
	return flags;
}

static void add_blocks(struct plan_builder *builder, struct plan_function *row)
{
	const struct cfg *cfg = &builder->current.cfg;
	struct plan *plan = builder->plan;

	row->first_block = (uint32_t)plan->blocks.count;
	row->block_count = (uint32_t)cfg->blocks.count;
	for (uint32_t i = 0; i < cfg->blocks.count; i++) {
		const struct cfg_block *block = &cfg->blocks.items[i];
		const struct cfg_instruction *first =
			&cfg->instructions.items[block->first];
		const struct cfg_instruction *last = first + block->count - 1;
		vector_push(&plan->blocks,
			    ((struct plan_block){
				    .offset = first->offset,
				    .size = last->offset + last->length - first->offset,
				    .slot = i || whole_needs_entry_slot(
							 &builder->current.whole)
						    ? PLAN_NO_SLOT
						    : row->slot,
				    .instructions = cfg_executed(cfg, i),
				    .to = PLAN_EDGE_OUT,
				    .flags = (uint16_t)block_flags(cfg, i),
			    }));
	}
	note_ways(cfg, plan->blocks.items + row->first_block);
}

/* Counts of blocks alone: each has a counter or is the sum of others. */
static void choose_sums(struct plan_builder *builder, const struct plan_function *row)
{
	struct plan *plan = builder->plan;

	choose_block_slots(builder);
	for (uint32_t i = 0; i < row->block_count; i++) {
		struct plan_block *block = &plan->blocks.items[row->first_block + i];
		uint32_t slot = builder->current.whole.blocks.items[i].slot;
		struct block_sum sum = builder->current.sums.blocks.items[i];

		block->slot = slot == WHOLE_NONE ? PLAN_NO_SLOT : slot / plan->slot_size;
		if (!sum.count)
			continue;
		block->first_term = (uint32_t)plan->terms.count;
		block->term_count = sum.count;
		for (uint32_t t = 0; t < sum.count; t++)
			vector_push(
				&plan->terms,
				row->first_block +
					builder->current.sums.terms.items[sum.first + t]);
	}
}

/* Finds the frequencies of a function in earlier runs. */
static void find_known(struct plan_builder *builder, const struct plan_function *row)
{
	const struct frequencies *frequencies = builder->request->frequencies;

	builder->current.cold = !frequencies_know(frequencies, row->address);
	builder->current.known = (struct frequencies_known){NULL, NULL};
	if (frequencies)
		builder->current.known =
			frequencies_find(frequencies, row->address,
					 (uint32_t)builder->current.cfg.blocks.count,
					 (uint32_t)builder->current.cfg.edges.count);
}

/* A live plan keeps the order, in which threads come and go. */
static void choose_order(struct plan_builder *builder)
{
	const frequency *known = builder->current.known.blocks;

	for (size_t i = 1; known && !builder->current.whole.live &&
			   i < builder->current.cfg.blocks.count;
	     i++)
		builder->current.whole.blocks.items[i].cold = !known[i];
}

static void choose_slots(struct plan_builder *builder, struct plan_function *row)
{
	struct whole *whole = &builder->current.whole;

	whole->entry_slot = WHOLE_NONE;
	find_known(builder, row);
	choose_order(builder);
	if (builder->request->depth < PLAN_POINTS)
		return;
	/* If only blocks are counted, a function's counters lie together: see
	 * session/adapt/fired.c. */
	row->slot = builder_new_slot(
		builder, builder->current.cold && builder->request->depth == PLAN_EDGES);
	whole->blocks.items[0].slot = row->slot * builder->plan->slot_size;
	whole->entry_slot =
		whole_needs_entry_slot(whole) ? whole->blocks.items[0].slot : WHOLE_NONE;
	if (builder->request->depth < PLAN_BLOCKS) {
		if (whole->entry_slot != WHOLE_NONE)
			whole->blocks.items[0].slot = WHOLE_NONE;
		return;
	}
	add_blocks(builder, row);
	if (builder->request->depth != PLAN_EDGES ||
	    !counter_placement_choose(builder, row))
		choose_sums(builder, row);
}

/* Notes the offsets of the pieces of edges, for threads that are found there. */
static void note_pieces(struct plan_builder *builder, const struct plan_function *row)
{
	/* Threads in probes of paths are found in another way. */
	for (uint32_t i = 0; !row->paths && i < row->edge_count; i++)
		if (whole_edge_has_piece(&builder->current.whole,
					 &builder->current.cfg.edges.items[i]))
			builder->plan->edges.items[row->first_edge + i].piece =
				builder->current.whole.edges.items[i].code;
}

/* No later patch may meet these bytes. */
static void take_text(const struct plan_builder *builder, uint64_t address, size_t size)
{
	for (size_t i = 0; i < size; i++)
		code_map_take(&builder->scan.map, address + i, 1);
}

/* Makes the original lead to the code that counts an edge, instead of to the start of its
 * block, for edges taken by falling through or by a switch. Uses whole.codes, which has
 * no other use from now on. */
static void lead_to_pieces(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t b = 0; whole->paths && b < cfg->blocks.count; b++)
		if (whole->entrances.items[b] != WHOLE_NONE)
			whole->codes.items[cfg->blocks.items[b].first] =
				whole->entrances.items[b];
	for (uint32_t i = 0; i < whole->edges.count; i++) {
		const struct cfg_edge *edge = &cfg->edges.items[i];
		uint32_t code = whole->edges.items[i].code;

		if (code == WHOLE_NONE || edge->to == CFG_OUT ||
		    cfg->blocks.items[edge->to].exposed ||
		    edge->kind != (whole_is_led(whole, edge->to) ? CFG_EDGE_SWITCH
								 : CFG_EDGE_FALL))
			continue;
		whole->codes.items[cfg->blocks.items[edge->to].first] = code;
	}
}

/* A jump in the original that leads into relocated code. */
static bool add_jump(struct plan_builder *builder, uint32_t index,
		     const struct whole_patch *patch)
{
	const struct whole *whole = &builder->current.whole;
	uint64_t address = builder->current.cfg.address + patch->offset;
	uint64_t target =
		builder->plan->code_address + whole->codes.items[patch->instruction];
	bool near = patch->island != WHOLE_NONE;
	struct plan_patch *row =
		builder_add_patch(&builder->out.islands, address, index,
				  near ? BUILDER_SHORT_JUMP : BUILDER_JUMP);

	take_text(builder, address, row->size);
	if (near) {
		row->bytes[0] = 0xeb;
		row->bytes[1] =
			(uint8_t)(patch->island - patch->offset - BUILDER_SHORT_JUMP);
		address = builder->current.cfg.address + patch->island;
		take_text(builder, address, BUILDER_JUMP);
		row = builder_add_patch(&builder->out.islands, address, index,
					BUILDER_JUMP);
	}
	return builder_patch_jump(row, 0, target);
}

/* Has the word that the call of a block goes through lead to an offset in plan.code. */
static void fill_stub_word(struct plan_builder *builder, const struct whole_block *block,
			   uint32_t code)
{
	uint64_t value = builder->plan->code_address + code;

	memcpy(builder->plan->code.items + block->stub_word, &value, sizeof(value));
	if (builder->out.shifts && code == block->stub_code)
		vector_push(builder->out.shifts,
			    ((struct emit_shift){.offset = block->stub_word,
						 .kind = EMIT_SHIFT_WORD64}));
}

/* The displacement of a call, which ends at `end`: leads to a stub. */
static bool add_stub_call(struct plan_builder *builder, uint32_t index,
			  const struct whole_block *block, uint32_t code)
{
	const struct cfg_instruction *call =
		&builder->current.cfg.instructions.items[block->stub];
	uint64_t end = builder->current.cfg.address + call->offset + call->length;
	uint32_t to = block->stub_word ? block->stub_word : code;
	int64_t distance = (int64_t)(builder->plan->code_address + to - end);
	int32_t wide = (int32_t)distance;
	struct plan_patch *row = builder_add_patch(
		&builder->out.islands, end - sizeof(wide), index, sizeof(wide));

	if (block->stub_word)
		fill_stub_word(builder, block, code);
	take_text(builder, end - sizeof(wide), sizeof(wide));
	memcpy(row->bytes, &wide, sizeof(wide));
	return distance == wide;
}

/* Instructions that name a switch's table and are executed at their own place: they name
 * its clone, too. Else the switch would lead to the original. */
static bool lead_tables(struct plan_builder *builder, uint32_t index)
{
	const struct whole *whole = &builder->current.whole;
	const struct cfg *cfg = &builder->current.cfg;
	bool reached = true;

	if (whole->live)
		return true;
	for (size_t i = 0; cfg->tables.count && i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];
		const struct cfg_table *table = whole->original.items[i] && row->relative
							? switches_named(cfg, row)
							: NULL;
		uint64_t end = cfg->address + row->offset + row->length;
		struct plan_patch *patch;
		int64_t distance;
		int32_t wide;

		if (!table)
			continue;
		distance =
			(int64_t)(builder->plan->code_address +
				  whole->clones.items[table - cfg->tables.items] - end);
		wide = (int32_t)distance;
		reached &= distance == wide;
		patch = builder_add_patch(&builder->out.islands,
					  cfg->address + row->offset + row->relative,
					  index, sizeof(wide));
		take_text(builder, patch->address, sizeof(wide));
		memcpy(patch->bytes, &wide, sizeof(wide));
	}
	return reached;
}

/* The jump at the entry. */
static bool add_entry(struct plan_builder *builder, uint32_t index,
		      const struct plan_function *row)
{
	const struct whole *whole = &builder->current.whole;
	uint64_t entry = entry_of(builder, index);
	uint64_t target =
		builder->plan->code_address + gates_entrance(builder->plan, row);
	uint64_t island = whole->entry_island == WHOLE_NONE
				  ? builder->choices[index].island
				  : builder->current.cfg.address + whole->entry_island;
	struct plan_patch *patch =
		builder_add_patch(&builder->plan->patches, entry, index,
				  whole->entry_short ? BUILDER_SHORT_JUMP : BUILDER_JUMP);

	take_text(builder, entry, patch->size);
	if (whole->entry_short) {
		patch->bytes[0] = 0xeb;
		patch->bytes[1] = (uint8_t)(island - entry - BUILDER_SHORT_JUMP);
		take_text(builder, island, BUILDER_JUMP);
		patch = builder_add_patch(&builder->out.islands, island, index,
					  BUILDER_JUMP);
	}
	return builder_patch_jump(patch, 0, target);
}

static bool add_patches(struct plan_builder *builder, uint32_t index,
			const struct plan_function *row)
{
	struct whole *whole = &builder->current.whole;
	bool reached = !whole->entry_patched || add_entry(builder, index, row);

	lead_to_pieces(whole);
	vector_for_each (&whole->patches, patch)
		reached &= add_jump(builder, index, patch);
	vector_for_each (&whole->blocks, block)
		if (block->stub != WHOLE_NONE)
			reached &= add_stub_call(
				builder, index, block,
				block == whole->blocks.items &&
						gates_in_call(builder->plan, row)
					? gates_entrance(builder->plan, row)
					: block->stub_code);
	return lead_tables(builder, index) && reached;
}

static bool write_whole(struct plan_builder *builder, uint32_t index,
			struct plan_function *row)
{
	struct plan *plan = builder->plan;
	struct emitter emitter;

	vector_reserve(&plan->code, plan->code.count + ALIGNMENT +
					    whole_size_max(&builder->current.whole));
	emitter = builder_emitter(builder);
	row->first_map_row = (uint32_t)plan->map_rows.count;
	row->first_stub = (uint32_t)plan->stubs.count;
	whole_emit(&builder->current.whole, &emitter, &row->trampoline);
	plan->code.count = emitter.count;
	row->map_row_count = (uint32_t)(plan->map_rows.count - row->first_map_row);
	row->stub_count = (uint32_t)(plan->stubs.count - row->first_stub);
	return !emitter.full && !emitter.reason && add_patches(builder, index, row);
}

/* Without a jump at its entry a function has the form of one with a first-call stub. */
static bool set_call_end(const struct plan_builder *builder, uint32_t index,
			 struct plan_function *row)
{
	const struct whole_block *first = builder->current.whole.blocks.items;
	const struct cfg_instruction *call;
	uint32_t end;

	if (builder->current.whole.entry_patched)
		return true;
	call = &builder->current.cfg.instructions.items[first->stub];
	end = call->offset + call->length;
	row->call_end = (uint8_t)end;
	/* A gate there must know where the return address is. */
	if (builder->plan->gates_size && !plan_is_cold_part(row) &&
	    (builder->plan->graph || builder->plan->spans ||
	     !builder->plan->counts_entries) &&
	    (builder->choices[index].reason || builder->choices[index].call_end != end))
		return false;
	return end <= UINT8_MAX;
}

/* Whether an instruction may take longer than the clock: it calls, or repeats. */
static bool is_long(const struct plan_builder *builder, const struct cfg_instruction *row)
{
	const struct cfg *cfg = &builder->current.cfg;
	const uint8_t prefix = cfg->bytes[row->offset];

	/* To a part of its own that lies elsewhere; or to another function, where such
	 * jumps are counted, which are so in relocated code. */
	if ((row->kind == CFG_JUMP || row->kind == CFG_CONDITION) &&
	    row->target - cfg->address >= cfg->size &&
	    (builder->request->calls ||
	     code_map_function_at(&builder->scan.map, row->target) < 0))
		return true;
	return row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT ||
	       row->kind == CFG_KERNEL || row->kind == CFG_STOP ||
	       row->kind == CFG_LOOP ||
	       ((prefix == 0xf2 || prefix == 0xf3) && row->opcode >= 0xa4 &&
		row->opcode <= 0xaf);
}

/* Whether a function is over before the clock could be read twice, so that nothing is
 * known of its time: it is a leaf of call graphs, and left as it is unless its blocks
 * count. */
static bool is_brief(const struct plan_builder *builder, uint32_t index)
{
	enum { INSTRUCTIONS = 48 };
	const struct cfg *cfg = &builder->current.cfg;

	if (!builder->request->graph || builder->request->depth >= PLAN_BLOCKS ||
	    builder->choices[index].reason || cfg->instructions.count > INSTRUCTIONS)
		return false;
	vector_for_each (&cfg->instructions, row)
		if (is_long(builder, row))
			return false;
	vector_for_each (&cfg->edges, edge)
		if (edge->to != CFG_OUT && edge->to <= edge->from)
			return false;
	return true;
}

/* In call graphs calls end at jumps to other functions, too: so these find the caller's
 * frame innermost. */
static void mark_tails(struct plan_builder *builder)
{
	const struct cfg *cfg = &builder->current.cfg;

	if (!builder->current.whole.leave)
		return;
	vector_for_each (&builder->current.cfg.instructions, row) {
		int64_t to =
			row->kind == CFG_JUMP && !row->read &&
					cfg_block_at(cfg, row->target) == CFG_OUT
				? code_map_function_at(&builder->scan.map, row->target)
				: -1;

		row->tail = to >= 0 && !builder->flags.taken[to] &&
			    !(builder->image->functions.items[to].flags &
			      IMAGE_FUNCTION_COLD_PART);
	}
}

/* Exposes targets of jumps in the original, which enter them, too. */
static void expose_jumped(struct plan_builder *builder)
{
	for (size_t i = 0; i < builder->current.whole.blocks.count; i++)
		builder->current.cfg.blocks.items[i].exposed |=
			builder->current.whole.blocks.items[i].jumped;
}

/* Whether flags are alive at its entry: also if it is counted there alone. */
static void note_entry_flags(struct plan_builder *builder, uint32_t index)
{
	struct entry_patch *choice = &builder->choices[index];

	if (!builder->current.cfg.blocks.items->live_in || choice->keep_flags)
		return;
	choice->keep_flags = true;
	builder->flags.found |= builder->flags.taken != NULL;
}

void blocks_note_flags(struct plan_builder *builder, uint32_t index)
{
	if (build_cfg(builder, index))
		note_entry_flags(builder, index);
}

/* Asks for the points of a function; without a graph only what it is told of them. */
static void list_points(struct plan_builder *builder, uint32_t index,
			const struct cfg *cfg)
{
	struct point_places *points = &builder->current.points;
	const struct image *image = builder->image;

	builder->current.whole.points = NULL;
	if (!builder->request->points)
		return;
	points->sources = builder->request->points;
	points->layout = &builder->request->hook_layout.points;
	points->may_return = builder->request->depth <= PLAN_POINTS &&
			     !builder->request->calls && !builder->request->graph &&
			     !builder->request->spans;
	points->function = (struct point_function){
		.image = image,
		.index = index,
		.owner = cold_parts_owner(image, index),
		.is_part = cold_parts_owner(image, index) != index,
		.name = image->names.items + image->functions.items[index].name,
		.module = builder->request->module,
		.cfg = cfg,
	};
	if (point_places_list(points) && cfg)
		builder->current.whole.points = points;
}

/* The counters of the points of a function. Edges with points have pieces like those with
 * counters. */
static void choose_point_slots(struct plan_builder *builder)
{
	struct whole *whole = &builder->current.whole;
	struct point_places *points = whole->points;
	struct plan *plan = builder->plan;

	if (!points)
		return;
	point_places_take_slots(points, plan);
	point_places_measure(points, plan->code_address + plan->code.count);
	for (size_t i = whole->edges.count;
	     points->on_edges && i < builder->current.cfg.edges.count; i++)
		vector_push(&whole->edges, ((struct whole_edge){.slot = WHOLE_NONE,
								.code = WHOLE_NONE}));
}

/* Where paths are to be counted, in a way that allows for that, if there is one. */
static bool fit_whole(struct plan_builder *builder, const struct whole_entry *entry)
{
	struct whole *whole = &builder->current.whole;
	const struct cfg *cfg = &builder->current.cfg;
	const struct whole_calls *calls =
		builder->returns.copy_calls ? &builder->calls : NULL;

	whole->paths = NULL;
	whole->follows =
		builder->request->paths && cfg->blocks.count > 1 && !whole->points;
	if (whole->follows && whole_fit(whole, cfg, entry, calls))
		return true;
	whole->follows = false;
	return whole_fit(whole, cfg, entry, calls);
}

static bool instrument_whole(struct plan_builder *builder, uint32_t index,
			     struct plan_function *row)
{
	const struct builder_mark mark = builder_mark(builder);
	const struct plan_function before = *row;
	const uint32_t slots = builder->plan->slot_count, cold = builder->out.cold_count;

	const struct plan_hook_layout *layout = &builder->request->hook_layout;
	const bool spans = builder->request->spans && spans_are_seen(builder, index);

	/* No gate told of a call of a part. */
	builder->current.whole.leave =
		builder->request->graph && !plan_is_cold_part(row) ? layout : NULL;
	builder->current.whole.span_end =
		spans && !plan_is_cold_part(row) ? layout->span_end : 0;
	builder->current.whole.all_leave = spans && !builder->returns.copy_calls;
	if (!build_cfg(builder, index))
		return false;
	note_entry_flags(builder, index);
	list_points(builder, index, &builder->current.cfg);
	/* Only points are asked for, and there are none. */
	if (builder->request->depth == PLAN_POINTS && !builder->current.whole.points &&
	    !gates_wanted(builder->request))
		return false;
	if (spans ? !spans_mark_ends(builder) : is_brief(builder, index))
		return false;
	mark_tails(builder);
	const struct entry_patch *choice = &builder->choices[index];
	const struct whole_entry entry = {
		.offset = (uint32_t)(entry_of(builder, index) - row->address),
		.has_island = choice->size == BUILDER_SHORT_JUMP && choice->island};

	if (!fit_whole(builder, &entry))
		return false;
	expose_jumped(builder);
	if (builder->entries.latched && builder->entries.latched[index] &&
	    (!builder->current.whole.entry_patched || builder->current.whole.entry_short))
		return false;
	if (spans && !whole_sees_returns(&builder->current.whole))
		return false;
	choose_slots(builder, row);
	choose_point_slots(builder);
	if (!set_call_end(builder, index, row) || !write_whole(builder, index, row)) {
		builder_undo(builder, &mark);
		builder->plan->slot_count = slots;
		builder->out.cold_count = cold;
		*row = before;
		return false;
	}
	note_pieces(builder, row);
	if (builder->current.whole.points)
		point_places_tell(builder->current.whole.points, builder->plan, true);
	return true;
}

void blocks_tell_points(struct plan_builder *builder, uint32_t index)
{
	list_points(builder, index,
		    build_cfg(builder, index) ? &builder->current.cfg : NULL);
	if (builder->request->points)
		point_places_tell(&builder->current.points, builder->plan, false);
}

bool blocks_instrument(struct plan_builder *builder, uint32_t index,
		       struct plan_function *row)
{
	if (instrument_whole(builder, index, row))
		return true;
	if (!builder->request->is_span || !spans_are_seen(builder, index))
		return false;
	/* Its blocks count nevertheless. */
	spans_give_up(builder, index);
	return instrument_whole(builder, index, row);
}

void blocks_add_single(struct plan_builder *builder, uint32_t index,
		       struct plan_function *row)
{
	if (!build_cfg(builder, index) || builder->current.cfg.blocks.count != 1 ||
	    builder->current.cfg.edges.items[0].to != CFG_OUT)
		return;
	row->first_block = (uint32_t)builder->plan->blocks.count;
	row->block_count = 1;
	vector_push(&builder->plan->blocks,
		    ((struct plan_block){
			    .size = row->size,
			    .slot = row->slot,
			    .to = PLAN_EDGE_OUT,
			    .instructions = cfg_executed(&builder->current.cfg, 0)}));
}
