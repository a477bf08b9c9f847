#include "code/locate/address_map.h"

#include "base/search.h"
#include "code/count/edges.h"
#include "code/emit/emit.h"
#include "code/emit/probe.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/relocate/inline_cache.h"

#include <string.h>

enum { JUMP = 5, PIECE_MAX = 64 };

static struct map_walk walk_begin(const struct plan *plan,
				  const struct plan_function *function)
{
	return (struct map_walk){.plan = plan,
				 .function = function,
				 .code = function->trampoline,
				 .original = function->address};
}

/* NULL: there are no more. */
static const struct map_row *current_row(const struct map_walk *walking)
{
	if (walking->index >= walking->function->map_row_count)
		return NULL;
	return &walking->plan->map_rows
			.items[walking->function->first_map_row + walking->index];
}

static void advance_row(struct map_walk *walking, const struct map_row *step)
{
	walking->code += map_row_code(*step);
	walking->original += (uint64_t)(int64_t)map_row_original(*step);
	walking->index++;
}

/* To the step whose code contains an offset; NULL: it lies behind all of them. */
static const struct map_row *walk_to(struct map_walk *walking, uint32_t code_offset)
{
	const struct map_row *step;

	while ((step = current_row(walking)) &&
	       walking->code + map_row_code(*step) <= code_offset)
		advance_row(walking, step);
	return step;
}

/* Whether a step is a jump to the original of the next one, which is executed there. */
static bool leads_out(const struct map_walk *walking, const struct map_row *step)
{
	return step->kind == MAP_ROW_JUMP &&
	       walking->index + 1 < walking->function->map_row_count &&
	       step[1].kind == MAP_ROW_ORIGINAL;
}

/* Whether a step is passed by all that comes to the next instruction in order. */
static bool leads_on(const struct map_walk *walking, const struct map_row *step)
{
	if (step->kind == MAP_ROW_POINT)
		return !(step->original & MAP_POINT_EDGE);
	if (step->kind == MAP_ROW_PATH)
		return true;
	if (step->kind != MAP_ROW_PROBE)
		return leads_out(walking, step);
	return !edges_is_fall(walking->plan, walking->function,
			      probe_slot(walking->plan, walking->code) /
				      walking->plan->slot_size);
}

/* To an instruction; NULL: none begins there. `ret_front` is in front of its probes. */
static const struct map_row *find_row(struct map_walk *walking, uint64_t address,
				      struct map_walk *ret_front)
{
	const struct map_row *step;

	*ret_front = *walking;
	while ((step = current_row(walking))) {
		bool goes_on = leads_on(walking, step);

		if (walking->original == address &&
		    (step->kind == MAP_ROW_ORIGINAL || step->kind == MAP_ROW_MOVED))
			return step;
		advance_row(walking, step);
		if (!goes_on)
			*ret_front = *walking;
	}
	return NULL;
}

/* Maps a call made behind the blocks because it missed its cache
 * (code/relocate/inline_cache.h): it returns behind the call with the cache. */
static bool follow_miss(struct map_walk *walking, const struct map_row *step)
{
	struct map_walk to = walk_begin(walking->plan, walking->function), front;
	uint64_t call = walking->original - (uint64_t)map_row_original(step[-1]);
	const struct map_row *other = find_row(&to, call, &front);

	if (!other || to.index + 1 == walking->index)
		return false;
	advance_row(&to, other);
	*walking = to;
	return true;
}

/* To the probes of what a jump leads to. False if it leads to the original. */
static bool follow_jump(struct map_walk *walking, const struct map_row *step)
{
	struct map_walk to = walk_begin(walking->plan, walking->function);

	if (leads_out(walking, step))
		return false;
	if (walking->index && step[-1].kind == MAP_ROW_MOVED &&
	    follow_miss(walking, step))
		return true;
	return find_row(&to, walking->original, walking);
}

/* A thread that is shown behind probes it has not run: they count by hand. They may lie
 * behind a jump to where the code goes on. Points cannot be run by hand: the thread comes
 * back in front of them. */
static void count_ahead(struct map_walk walking, bool first_counted,
			struct plan_position *place)
{
	const struct map_row *step = current_row(&walking);
	unsigned row = 0;

	place->way = walking.code + (first_counted && step ? map_row_code(*step) : 0);
	while ((step = current_row(&walking)) && row < 2) {
		if (step->kind == MAP_ROW_JUMP) {
			if (!follow_jump(&walking, step))
				return;
			continue;
		}
		if (step->kind != MAP_ROW_PROBE && step->kind != MAP_ROW_POINT)
			return;
		if (step->kind == MAP_ROW_POINT)
			place->leads = true;
		else if (!first_counted)
			place->uncounted[row++] = probe_slot(walking.plan, walking.code);
		first_counted = false;
		advance_row(&walking, step);
	}
}

/* Whether a row is the first one of a point. */
static bool begins_point(const struct map_row *step)
{
	return step->kind == MAP_ROW_POINT && !(step->original & MAP_POINT_MORE);
}

/* Whether a row, NULL: none, goes on with a point. */
static bool goes_on(const struct map_row *step)
{
	return step && step->kind == MAP_ROW_POINT && step->original & MAP_POINT_MORE;
}

/* The offset in plan.code of the point that a row belongs to. */
static uint32_t begin_of_point(const struct map_walk *walking)
{
	const struct map_row *step = current_row(walking);
	uint32_t code = walking->code;

	for (uint32_t left = walking->index; left && !begins_point(step); left--)
		code -= map_row_code(*--step);
	return code;
}

/* Finds the position in the code of a point. At its start the thread has not run it. */
static void locate_in_point(const struct map_walk *walking, uint32_t code_offset,
			    struct plan_position *place)
{
	struct map_walk to = *walking;
	const struct map_row *step = current_row(&to);

	if (begins_point(step) && code_offset == to.code) {
		place->kind = PLAN_POSITION_MOVED;
		count_ahead(to, false, place);
		return;
	}
	place->kind = PLAN_POSITION_POINT;
	place->begin = begin_of_point(walking);
	do {
		const bool ends = step->code < MAP_ROW_CODE_MAX &&
				  !(step->original & MAP_POINT_CALLS);

		advance_row(&to, step);
		/* Behind the call the thread is in front of the next row. */
		place->routine |= step->original & MAP_POINT_CALLS;
		step = current_row(&to);
		place->unmade |= ends && goes_on(step);
	} while (goes_on(step));
	place->end = to.code;
	count_ahead(to, false, place);
}

/* Whether a jump ends the piece of an edge with points. */
static bool ends_points(const struct map_walk *walking, const struct map_row *step)
{
	return step->kind == MAP_ROW_JUMP && walking->index &&
	       step[-1].kind == MAP_ROW_POINT && step[-1].original & MAP_POINT_PIECE;
}

/* The place in a probe that begins at `code`: what a thread has on the stack, and whether
 * it has counted. False if no instruction begins there. `ret_size` is the probe's. */
static bool look_into_probe(const struct plan *plan, uint32_t code, uint32_t code_offset,
			    struct plan_position *place, bool *ret_counted,
			    uint32_t *ret_size)
{
	bool found = false;
	uint8_t scratch[128];
	struct emit_marks marks = {.count = 0};
	struct emitter emitter = {
		.code = scratch, .capacity = sizeof(scratch), .marks = &marks};

	probe_emit(&emitter, probe_at(plan->code.items + code, plan->code.count - code),
		   0, 0, PLAN_POSITION_PROBE);
	*ret_size = (uint32_t)emitter.count;
	for (size_t i = 0; i < marks.count; i++) {
		const struct emit_mark *mark = &marks.items[i];

		if (mark->offset != code_offset - code)
			continue;
		place->kind = PLAN_POSITION_MOVED;
		place->stack = mark->stack;
		place->pushed = mark->pushed;
		place->flags = mark->flags;
		place->kept = mark->kept;
		*ret_counted = mark->kind == PLAN_POSITION_HOOK;
		found = true;
	}
	return found;
}

static void locate_in_probe(const struct map_walk *walking, uint32_t code_offset,
			    struct plan_position *place)
{
	uint32_t size;
	bool counted;

	if (look_into_probe(walking->plan, walking->code, code_offset, place, &counted,
			    &size))
		count_ahead(*walking, counted, place);
}

/* Whether the probe of a block lies in front of its first instruction. */
static bool counts_first(const struct plan *plan, const struct plan_function *function,
			 const struct plan_block *block)
{
	struct map_walk walking = walk_begin(plan, function);
	uint64_t start = function->address + block->offset;
	const struct map_row *step;

	for (; (step = current_row(&walking)); advance_row(&walking, step))
		if (walking.original == start && step->kind == MAP_ROW_PROBE &&
		    probe_slot(plan, walking.code) == block->slot * plan->slot_size)
			return true;
	return false;
}

/* Target of a jump of 5 bytes, as a link-time address. */
static uint64_t target_of(const struct plan *plan, uint32_t code)
{
	int32_t distance;

	memcpy(&distance, plan->code.items + code + 1, sizeof(distance));
	return plan->code_address + code + JUMP + (uint64_t)(int64_t)distance;
}

/* Finds the position in the code that counts an edge: at the start of the edge's block,
 * or on the way out of the function. */
static bool locate_in_piece(const struct plan *plan, const struct plan_function *function,
			    const struct plan_edge *edge, uint32_t code_offset,
			    struct plan_position *place)
{
	const struct plan_block *block = &plan->blocks.items[function->first_block];
	uint32_t size, *uncounted = place->uncounted;
	bool counted = true, probing;

	probing = look_into_probe(plan, edge->piece, code_offset, place, &counted, &size);
	if (!probing && code_offset != edge->piece + size)
		return false;
	if (!counted)
		*uncounted++ = edge->slot * plan->slot_size;
	if (edge->to == PLAN_EDGE_OUT) {
		place->kind = PLAN_POSITION_CALL_DONE;
		place->original = target_of(plan, edge->piece + size);
		return true;
	}
	block += edge->to;
	place->kind = PLAN_POSITION_MOVED;
	place->original = function->address + block->offset;
	if (block->slot < plan->slot_count && counts_first(plan, function, block))
		*uncounted = block->slot * plan->slot_size;
	return true;
}

static bool locate_in_pieces(const struct plan *plan,
			     const struct plan_function *function, uint32_t code_offset,
			     struct plan_position *place)
{
	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[function->first_edge + i];

		if (edge->piece <= code_offset && code_offset - edge->piece < PIECE_MAX &&
		    locate_in_piece(plan, function, edge, code_offset, place))
			return true;
	}
	return false;
}

static struct plan_position locate_in_stub(const struct plan *plan,
					   const struct plan_function *function,
					   uint32_t code_offset)
{
	struct plan_position place = {.kind = PLAN_POSITION_UNKNOWN,
				      .uncounted = PLAN_ALL_COUNTED};
	const bool counts = !plan->gates_size || plan->counts_entries;

	for (uint32_t i = 0; i < function->stub_count; i++) {
		const struct plan_stub *stub =
			&plan->stubs.items[function->first_stub + i];

		place.original = stub->call;
		if (code_offset == stub->code && counts) {
			place.kind = PLAN_POSITION_CALL_UNDO;
		} else if (code_offset == stub->code + (counts ? PROBE_COUNT_SIZE : 0)) {
			place.kind = PLAN_POSITION_CALL_DONE;
			place.original += (uint64_t)(int64_t)stub->callee;
			/* jmp *word, as code/scan/entry_call.c has it. */
			place.word = plan->code.items[code_offset] == 0xff;
		}
	}
	return place;
}

/* Finds the position between a probe and the call, or jump to another function, behind
 * it, which share a row: the count will be repeated. */
static void locate_behind_probe(const struct plan *plan, uint32_t code,
				struct plan_position *place)
{
	place->kind = PLAN_POSITION_MOVED;
	if (probe_at(plan->code.items + code, plan->code.count - code) == PROBE_COUNT)
		place->recounted = probe_slot(plan, code);
}

bool address_map_row(const struct plan *plan, const struct plan_function *function,
		     uint32_t code_offset, struct map_row *ret_row, uint32_t *ret_start)
{
	struct map_walk walking = walk_begin(plan, function);
	const struct map_row *step = walk_to(&walking, code_offset);

	if (!step)
		return false;
	*ret_row = *step;
	*ret_start = walking.code;
	return true;
}

struct plan_position address_map_locate(const struct plan *plan,
					const struct plan_function *function,
					uint32_t code_offset)
{
	struct map_walk walking = walk_begin(plan, function);
	struct plan_position place = {.kind = PLAN_POSITION_UNKNOWN,
				      .uncounted = PLAN_ALL_COUNTED};
	const struct map_row *step;

	step = walk_to(&walking, code_offset);
	place.function = (uint32_t)(function - plan->functions.items);
	if (!step) {
		if (!locate_in_pieces(plan, function, code_offset, &place))
			place = locate_in_stub(plan, function, code_offset);
		place.function = (uint32_t)(function - plan->functions.items);
		return place;
	}
	place.original = walking.original;
	if (step->kind == MAP_ROW_POINT) {
		locate_in_point(&walking, code_offset, &place);
	} else if (ends_points(&walking, step)) {
		place.kind = PLAN_POSITION_MOVED;
		place.leads = true;
		place.way = code_offset;
	} else if (step->kind == MAP_ROW_PATH || step->kind == MAP_ROW_PATH_EDGE) {
		place.kind = PLAN_POSITION_MOVED;
	} else if (step->kind == MAP_ROW_PROBE) {
		locate_in_probe(&walking, code_offset, &place);
	} else if (code_offset == walking.code + PROBE_COUNT_SIZE &&
		   step->code == PROBE_COUNT_SIZE + JUMP) {
		locate_behind_probe(plan, walking.code, &place);
	} else if (step->kind == MAP_ROW_MOVED &&
		   inline_cache_is_call(plan->code.items + walking.code, step->code)) {
		inline_cache_locate(plan, walking.code, step->code, code_offset, &place);
	} else if (code_offset == walking.code ||
		   !locate_in_pieces(plan, function, code_offset, &place)) {
		place.kind = PLAN_POSITION_MOVED;
		place.inside = code_offset != walking.code;
		if (step->kind == MAP_ROW_JUMP)
			count_ahead(walking, false, &place);
	}
	/* Control that falls out of the function is at the start of the next one. */
	if (place.kind == PLAN_POSITION_MOVED &&
	    place.original == function->address + function->size)
		place.kind = PLAN_POSITION_CALL_DONE;
	return place;
}

static const struct plan_patch *patch_at(const struct plan *plan, uint64_t address)
{
	size_t low = search_first(plan->patches.count, middle,
				  plan->patches.items[middle].address < address);

	if (low == plan->patches.count || plan->patches.items[low].address != address)
		return NULL;
	return &plan->patches.items[low];
}

bool plan_jump_leads(const struct plan *plan, uint64_t address,
		     const uint8_t bytes[PLAN_JUMP], uint32_t *ret_offset)
{
	int32_t distance;
	uint64_t offset;

	memcpy(&distance, bytes + 1, sizeof(distance));
	offset = address + PLAN_JUMP + (uint64_t)(int64_t)distance - plan->code_address;
	if (*bytes != 0xe9 || offset >= plan->code.count)
		return false;
	*ret_offset = (uint32_t)offset;
	return true;
}

bool plan_jump_at(const struct plan *plan, uint64_t address, uint32_t *ret_offset)
{
	const struct plan_patch *patch = patch_at(plan, address);

	if (patch && patch->size == 2 && patch->bytes[0] == 0xeb)
		patch = patch_at(plan, address + 2 + (uint64_t)(int8_t)patch->bytes[1]);
	return patch && patch->size == PLAN_JUMP &&
	       plan_jump_leads(plan, patch->address, patch->bytes, ret_offset);
}

const uint8_t address_map_bytes[256] = {
	[0x26] = ADDRESS_MAP_PREFIX,          /* es */
	[0x2e] = ADDRESS_MAP_PREFIX,          /* cs */
	[0x36] = ADDRESS_MAP_PREFIX,          /* ss */
	[0x3e] = ADDRESS_MAP_PREFIX,          /* ds */
	[0x40 ... 0x4f] = ADDRESS_MAP_PREFIX, /* REX */
	[0x64 ... 0x67] = ADDRESS_MAP_PREFIX, /* fs, gs, data16, addr32 */
	[0xe8] = ADDRESS_MAP_CALL,
	[0xf2] = ADDRESS_MAP_PREFIX, /* repne, bnd */
	[0xf3] = ADDRESS_MAP_PREFIX, /* rep */
	[0xff] = ADDRESS_MAP_GROUP,
};

static bool ends_in_call(const uint8_t *code, size_t size)
{
	return address_map_is_call(code, size) || probe_is_of_call(code, size) ||
	       inline_cache_is_call(code, size);
}

bool plan_next_return_of(struct map_walk *walk, const struct plan *plan,
			 uint32_t code_offset, uint64_t *ret_address)
{
	const struct plan_function *function = plan_function_of(plan, code_offset);
	const struct map_row *step;

	if (!function || !code_offset || code_offset >= plan->code.count)
		return false;
	if (walk->plan != plan || walk->function != function || walk->code >= code_offset)
		*walk = walk_begin(plan, function);
	step = walk_to(walk, code_offset - 1);
	if (!step || step->kind != MAP_ROW_MOVED ||
	    walk->code + step->code != code_offset ||
	    !ends_in_call(plan->code.items + walk->code, step->code))
		return false;
	*ret_address = walk->original + step->original;
	return true;
}

bool plan_return_of(const struct plan *plan, uint32_t code_offset, uint64_t *ret_address)
{
	struct map_walk walk = {0};

	return plan_next_return_of(&walk, plan, code_offset, ret_address);
}

bool plan_moved_to(const struct plan *plan, uint64_t address, bool counts,
		   uint32_t *ret_offset)
{
	const struct plan_function *function = plan_function_at(plan, address);
	const struct map_row *step;
	struct map_walk walking, front;

	if (!function || address - function->address >= function->size)
		return false;
	walking = walk_begin(plan, function);
	step = find_row(&walking, address, &front);
	if (!step || step->kind != MAP_ROW_MOVED)
		return false;
	*ret_offset = counts ? front.code : walking.code;
	return true;
}
