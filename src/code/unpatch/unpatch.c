#include "code/unpatch/unpatch.h"

#include "base/bits.h"
#include "code/emit/probe.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/unpatch/unpatch_bars.h"
#include "code/unpatch/unpatch_jumps.h"
#include "code/unpatch/unpatching.h"

#include <stdlib.h>

enum { TRIES = 64 };

/* Comes to a block. Returns the number of blocks in the queue. */
static uint32_t reach_block(struct unpatching *unpatching, uint32_t block,
			    uint32_t queued)
{
	if (unpatching->states[block] != BLOCK_CLOSED)
		return queued;
	if (unpatching->pinned[block] || !unpatching->has_fired[block]) {
		unpatching->states[block] = BLOCK_LED;
		return queued;
	}
	unpatching->states[block] = BLOCK_OPEN;
	unpatching->queue[queued] = block;
	return queued + 1;
}

/* Whether relocated code may lead to a block: see struct return_jump. */
static bool leads_home(const struct unpatching *unpatching, uint32_t block)
{
	return unpatching->blocks[block].slot != PLAN_NO_SLOT &&
	       !unpatching->pinned[block] && unpatching->has_fired[block];
}

/* Finds the blocks that are reached if all fired blocks run unpatched. Copies of a
 * switch's table address in relocated code may be of the original table. */
static void reach_all(struct unpatching *unpatching)
{
	uint32_t queued = reach_block(unpatching, 0, 0), to[2];

	for (uint32_t b = 1; b < unpatching->count; b++)
		if (unpatching->blocks[b].flags & (PLAN_BLOCK_ENTERED | PLAN_BLOCK_LED) ||
		    leads_home(unpatching, b))
			queued = reach_block(unpatching, b, queued);
	while (queued) {
		uint32_t count =
			unpatching_goes_on(unpatching, unpatching->queue[--queued], to);

		while (count)
			queued = reach_block(unpatching, to[--count], queued);
	}
}

/* Notes the code in front of a block at the start of its original. An edge's piece at the
 * end of another block is not such code, and a block with a stub has none: the next code
 * belongs to the next block. */
static void note_front(struct unpatching *unpatching, const struct map_row *step,
		       uint32_t offset, uint32_t code)
{
	uint32_t block;

	if (step->kind == MAP_ROW_ORIGINAL ||
	    (step->kind == MAP_ROW_JUMP && step[1].kind != MAP_ROW_ORIGINAL))
		return;
	block = unpatching->leaders[offset];
	if (unpatching->fronts[block] == PLAN_NO_SLOT)
		unpatching->fronts[block] = code;
}

static bool is_call(const struct unpatching *unpatching, uint32_t offset, uint32_t size)
{
	return offset + size <= unpatch_size(unpatching->request->function) &&
	       address_map_is_call(unpatching->request->original + offset, size);
}

/* Marks instructions executed in place, and return addresses of calls. */
static void know_steps(struct unpatching *unpatching)
{
	const struct plan *plan = unpatching->request->plan;
	const struct plan_function *function = unpatching->request->function;
	const struct map_row *steps = &plan->map_rows.items[function->first_map_row];
	uint32_t code = function->trampoline, offset = 0;

	for (uint32_t i = 0; i < function->map_row_count; i++) {
		const struct map_row *step = &steps[i];
		uint32_t size = (uint32_t)map_row_original(*step);

		if (step->kind == MAP_ROW_ORIGINAL)
			unpatching_mark(unpatching, unpatching->known, offset, size,
					BYTE_KEPT);
		if (step->kind == MAP_ROW_ORIGINAL ||
		    (step->kind == MAP_ROW_MOVED && is_call(unpatching, offset, size)))
			unpatching_mark(unpatching, unpatching->known, offset + size, 1,
					BYTE_ENTERED);
		if (offset < function->size && unpatching->known[offset] & BYTE_LEADER &&
		    step->kind != MAP_ROW_AWAY && i + 1 < function->map_row_count)
			note_front(unpatching, step, offset, code);
		code += map_row_code(*step);
		offset += size;
	}
}

/* The short jump that leads to a patch, which is an island then; NULL: none. Patches are
 * in the order of their addresses. */
static const struct plan_patch *find_short(const struct plan *plan,
					   const struct plan_patch *island)
{
	enum { REACH = SHORT_REACH + SHORT_JUMP };
	const struct plan_patch *first = plan->patches.items, *patch = island;
	const struct plan_patch *end = first + plan->patches.count;

	while (patch > first && patch[-1].address + REACH >= island->address)
		patch--;
	for (; patch < end && patch->address < island->address + REACH; patch++)
		if (patch->size == SHORT_JUMP && patch->bytes[0] == 0xeb &&
		    patch->address + SHORT_JUMP + (uint64_t)(int8_t)patch->bytes[1] ==
			    island->address)
			return patch;
	return NULL;
}

/* The plan's patches. False if one hangs over the function's end. */
static bool know_patches(struct unpatching *unpatching)
{
	const struct plan *plan = unpatching->request->plan;
	const struct plan_function *function = unpatching->request->function;
	const uint32_t index = (uint32_t)(function - plan->functions.items);
	const struct plan_patch *end = plan->patches.items + plan->patches.count;
	const struct plan_patch *patch = plan_patch_behind(plan, function->address);

	for (;
	     patch && patch < end && patch->address < function->address + function->size;
	     patch++) {
		const struct plan_patch *from = find_short(plan, patch);
		uint64_t offset = patch->address - function->address;
		uint64_t start = (from ? from : patch)->address - function->address;
		uint32_t block = unpatching->count
					 ? unpatching_block(unpatching, (uint32_t)offset)
					 : 0;
		bool own = patch->function == index && start < function->size;

		if (offset >= function->size || patch->size > function->size - offset)
			return false;
		vector_push(&unpatching->patches,
			    ((struct unpatch_patch){
				    (uint32_t)offset, patch->size,
				    own ? (uint32_t)start : FOREIGN,
				    own && from ? unpatching_block(unpatching,
								   (uint32_t)start)
						: block}));
		if (unpatching->count && unpatching->blocks[block].offset == offset &&
		    !from)
			unpatching->led[block] |=
				patch->bytes[0] == 0xe9 || patch->bytes[0] == 0xeb;
	}
	return true;
}

static void know_blocks(struct unpatching *unpatching)
{
	const struct unpatch_request *request = unpatching->request;

	unpatching->leaders[0] = 0;
	for (uint32_t b = 0; b < unpatching->count; b++) {
		const struct plan_block *row = &unpatching->blocks[b];

		unpatching->fronts[b] = PLAN_NO_SLOT;
		unpatching->leaders[row->offset] = b;
		unpatching->known[row->offset] = BYTE_LEADER;
		unpatching->has_switch |= (row->flags & PLAN_BLOCK_LED) != 0;
		unpatching->has_fired[b] =
			row->slot == PLAN_NO_SLOT ||
			(request->has_fired &&
			 request->has_fired(request->context, row->slot));
	}
}

/* A block with a stub sets its flag there. The first one is led by the entry's jump. */
static void know_stubs(struct unpatching *unpatching)
{
	const struct plan *plan = unpatching->request->plan;
	const struct plan_function *function = unpatching->request->function;

	unpatching->led[0] = true;
	for (uint32_t i = 0; i < function->stub_count; i++) {
		uint64_t call = plan->stubs.items[function->first_stub + i].call;

		call -= function->address;
		if (call < function->size)
			unpatching->led[unpatching_block(unpatching, (uint32_t)call)] =
				true;
	}
}

static void pin_byte(struct unpatching *unpatching, uint64_t offset)
{
	uint32_t block = unpatching_block(unpatching, (uint32_t)offset);

	unpatching->more |= !unpatching->pinned[block];
	unpatching->pinned[block] = true;
}

/* A patch that goes, maybe later than other pages of the text change. */
static void drop_patch(struct unpatching *unpatching, const struct unpatch_patch *patch,
		       uint8_t *text)
{
	uint32_t offset = patch->offset, size = patch->size;

	memcpy(text + offset, unpatching->request->original + offset, size);
	/* The jump would be cut in half, or the island of a short jump would be lost. */
	if (unpatching->pages &&
	    !unpatching_both_on_one_page(unpatching, offset, size, patch->from, size))
		pin_byte(unpatching, patch->from);
}

/* A patch that stays: what it lies in does not run. */
static void stay_patched(struct unpatching *unpatching, const struct unpatch_patch *patch)
{
	for (uint32_t i = patch->offset; i < patch->offset + patch->size; i++)
		if (unpatching->bytes[i] & BYTE_OPEN)
			pin_byte(unpatching, i);
	unpatching_mark(unpatching, unpatching->bytes, patch->offset, patch->size,
			BYTE_KEPT);
}

/* A patch goes if what it leads out of runs. */
static void take_patches(struct unpatching *unpatching, uint8_t *text)
{
	vector_for_each (&unpatching->patches, patch) {
		if (patch->from != FOREIGN &&
		    (!unpatching->count ||
		     unpatching->states[patch->block] == BLOCK_OPEN))
			drop_patch(unpatching, patch, text);
		else
			stay_patched(unpatching, patch);
	}
}

/* Whether a block leads to one that must not be reached. */
static bool has_nowhere(const struct unpatching *unpatching, uint32_t block, uint32_t to)
{
	return unpatching->no_room[to] ||
	       unpatching_turn(unpatching, block) < unpatching->barred[to];
}

/* Leads the branch of an unpatched block to the relocated code of a block that must not
 * be reached, or without room for a jump (mostly a lone return). False if that is
 * impossible. An older text of the branch's page may still lead to the block's original:
 * as it did then, or as in the file. */
static bool lead_branch(const struct unpatching *unpatching,
			const struct plan_block *block, uint32_t to, uint8_t *text)
{
	const struct unpatch_request *request = unpatching->request;
	uint32_t end = block->offset + block->size;
	int32_t other;

	if (unpatching->fronts[to] == PLAN_NO_SLOT ||
	    !unpatching_has_wide_branch(unpatching, block))
		return false;
	other = (int32_t)(request->plan->code_address + unpatching->fronts[to] -
			  (request->function->address + end));
	memcpy(text + end - UNPATCHING_WIDE, &other, UNPATCHING_WIDE);
	return true;
}

/* Leads flow to such blocks elsewhere, or keeps its source in relocated code, too. */
static void pin_sources(struct unpatching *unpatching, uint8_t *text)
{
	for (uint32_t b = 0; b < unpatching->count; b++) {
		const struct plan_block *row = &unpatching->blocks[b];

		if (unpatching->states[b] != BLOCK_OPEN)
			continue;
		if ((row->flags & PLAN_BLOCK_FALLS &&
		     has_nowhere(unpatching, b, b + 1)) ||
		    (row->to != PLAN_EDGE_OUT && has_nowhere(unpatching, b, row->to) &&
		     !lead_branch(unpatching, row, row->to, text)))
			pin_byte(unpatching, row->offset);
	}
}

static void open_blocks(struct unpatching *unpatching, uint8_t *text)
{
	for (uint32_t b = 0; b < unpatching->count; b++) {
		const struct plan_block *row = &unpatching->blocks[b];

		if (unpatching->states[b] != BLOCK_CLOSED)
			unpatching_mark(unpatching, unpatching->bytes, row->offset, 1,
					BYTE_ENTERED);
		if (unpatching->states[b] != BLOCK_OPEN)
			continue;
		unpatching_mark(unpatching, unpatching->bytes, row->offset, row->size,
				BYTE_OPEN);
		memcpy(text + row->offset, unpatching->request->original + row->offset,
		       row->size);
	}
}

/* Up to the function's ends. */
static bool text_differs(const struct unpatching *unpatching, const uint8_t *text,
			 uint32_t from, uint32_t to)
{
	uint32_t size = unpatch_size(unpatching->request->function);

	to = to < size ? to : size;
	return from < to &&
	       memcmp(text + from, unpatching->request->patched + from, to - from) != 0;
}

/* Calls in the text may lead elsewhere by the plan (plan.calls): whether one may lie on
 * the pages in front of an offset and behind it, and would be cut in half. */
static bool cuts_call(const struct unpatching *unpatching, const uint8_t *text,
		      uint32_t at)
{
	enum { MOST = 3 }; /* bytes on either page */

	return text_differs(unpatching, text, at > MOST ? at - MOST : 0, at) &&
	       text_differs(unpatching, text, at, at + MOST);
}

/* The offset of the first page that begins in the function. */
static uint32_t first_page(const struct unpatching *unpatching)
{
	return (uint32_t)(-unpatching->request->function->address &
			  (unpatching->request->page - 1));
}

/* Keeps code in front of a call that would be cut in half in relocated code. */
static void keep_whole(struct unpatching *unpatching, const uint8_t *text)
{
	const struct unpatch_request *request = unpatching->request;

	for (uint32_t at = first_page(unpatching); at < request->function->size;
	     at += request->page)
		if (cuts_call(unpatching, text, at) &&
		    unpatching->states[unpatching_block(unpatching, at - 1)] ==
			    BLOCK_OPEN)
			pin_byte(unpatching, at - 1);
}

/* A switch uses its original table once a block that contains the table's address has run
 * unpatched, in any text. If a target of the table must not be reached, such blocks stay
 * in relocated code, where they refer to the clone. */
static void pin_names(struct unpatching *unpatching, uint32_t before)
{
	for (uint32_t b = 0; before && b < unpatching->count; b++)
		if (unpatching->states[b] == BLOCK_OPEN &&
		    unpatching_turn(unpatching, b) < before &&
		    unpatching->blocks[b].flags & PLAN_BLOCK_NAMES)
			pin_byte(unpatching, unpatching->blocks[b].offset);
}

/* Whether all is right at places that not only other blocks lead to. */
static void check_led(struct unpatching *unpatching)
{
	unpatching->hopeless = unpatching->shut = false;
	for (uint32_t b = 0; b < unpatching->count; b++) {
		bool room = !unpatching->no_room[b];

		if (unpatching->blocks[b].flags & PLAN_BLOCK_ENTERED)
			unpatching->hopeless |= !room || unpatching->barred[b];
		if (unpatching->blocks[b].flags & PLAN_BLOCK_LED)
			unpatching->shut |= !room;
	}
	pin_names(unpatching, unpatching->shut ? NOWHERE : unpatching->led_barred);
}

/* With the blocks pinned that are. */
static void try_pages(struct unpatching *unpatching, uint8_t *text)
{
	const uint32_t size = unpatch_size(unpatching->request->function);

	memcpy(unpatching->bytes, unpatching->known, size);
	memcpy(text, unpatching->request->patched, size);
	memset(unpatching->states, BLOCK_CLOSED, unpatching->count);
	memset(unpatching->no_room, false, unpatching->count);
	unpatching->more = false;
	unpatching->short_count = 0;
	reach_all(unpatching);
	open_blocks(unpatching, text);
	take_patches(unpatching, text);
	unpatching_add_jumps(unpatching, text);
	check_led(unpatching);
	pin_sources(unpatching, text);
	keep_whole(unpatching, text);
}

/* Whether the code in front of a block is its own probe. A jump that is no code, as what
 * it leads to follows, has the probe of that. */
static bool has_probe(const struct unpatching *unpatching, uint32_t block)
{
	const struct plan *plan = unpatching->request->plan;
	uint32_t code = unpatching->fronts[block], slot;

	if (code == PLAN_NO_SLOT ||
	    probe_at(plan->code.items + code, plan->code.count - code) != PROBE_FLAG)
		return false;
	slot = probe_slot(plan, code);
	return slot == unpatching->blocks[block].slot ||
	       (!block && slot == unpatching->request->function->slot);
}

/* Adds the probes in front of unpatched blocks. False if there are none. */
static bool add_ways(const struct unpatching *unpatching, struct return_jumps *ways)
{
	size_t before = ways->count;

	for (uint32_t b = 0; b < unpatching->count; b++) {
		uint32_t code = unpatching->fronts[b];

		if (unpatching->states[b] == BLOCK_OPEN && has_probe(unpatching, b))
			vector_push(ways,
				    ((struct return_jump){
					    code, unpatching->request->function->address +
							  unpatching->blocks[b].offset}));
	}
	return ways->count > before;
}

/* The text, with `pinned` without anything that runs at its own place. */
static bool make_text(struct unpatching *unpatching, bool pinned, uint8_t *text)
{
	if (pinned)
		memset(unpatching->pinned, true, unpatching->count);
	else
		memcpy(unpatching->pinned, unpatching->kept, unpatching->count);
	for (unsigned tries = 0; tries < TRIES; tries++) {
		try_pages(unpatching, text);
		if (!unpatching->more)
			return !unpatching->hopeless;
	}
	return false;
}

/* Writes which blocks run unpatched. False if one that did would no longer. */
static bool note_open(const struct unpatching *unpatching, uint64_t **ret_open)
{
	const uint64_t *before = unpatching->request->open;
	uint64_t *open;

	for (uint32_t b = 0; b < unpatching->count; b++)
		if (before && bit_test(before, b) && unpatching->states[b] != BLOCK_OPEN)
			return false;
	open = memory_allocate_zeroed(bit_words(unpatching->count), sizeof(*open));
	for (uint32_t b = 0; b < unpatching->count; b++)
		if (unpatching->states[b] == BLOCK_OPEN)
			bit_set(open, b);
	*ret_open = open;
	return true;
}

/* Room for all that is to be known. */
static void begin_unpatching(struct unpatching *unpatching)
{
	const size_t size = unpatch_size(unpatching->request->function);
	const size_t blocks = unpatching->count + (size_t)1;
	uint32_t *numbers;
	uint8_t *bytes;

	unpatching->numbers = numbers =
		memory_allocate((4 * blocks + size) * sizeof(*numbers));
	unpatching->fronts = numbers;
	unpatching->queue = numbers + blocks;
	unpatching->bars[0] = numbers + 2 * blocks;
	unpatching->bars[1] = numbers + 3 * blocks;
	unpatching->leaders = numbers + 4 * blocks;
	unpatching->barred = unpatching->bars[0];
	memset(unpatching->barred, 0, 2 * blocks * sizeof(*numbers));
	unpatching->known = bytes = memory_allocate_zeroed(7 * blocks + 2 * size, 1);
	unpatching->bytes = bytes += size;
	unpatching->states = bytes += size;
	unpatching->no_room = (bool *)(bytes += blocks);
	unpatching->led = (bool *)(bytes += blocks);
	unpatching->pinned = (bool *)(bytes += blocks);
	unpatching->sealed = (bool *)(bytes += blocks);
	unpatching->has_fired = (bool *)(bytes += blocks);
	unpatching->kept = (bool *)(bytes += blocks);
	unpatching->pages = !unpatching_on_one_page(unpatching, 0, (uint32_t)size);
}

static void end_unpatching(struct unpatching *unpatching)
{
	vector_deinit(&unpatching->patches);
	free(unpatching->numbers);
	free(unpatching->known);
}

/* False if the function cannot be unpatched: see know_patches. */
static bool learn_blocks(struct unpatching *unpatching)
{
	know_blocks(unpatching);
	if (!know_patches(unpatching))
		return false;
	if (unpatching->count) {
		unpatching_choose_order(unpatching);
		know_stubs(unpatching);
		know_steps(unpatching);
	}
	return true;
}

static bool cuts_calls(const struct unpatching *unpatching, const uint8_t *text)
{
	const struct unpatch_request *request = unpatching->request;

	for (uint32_t at = first_page(unpatching); at < request->function->size;
	     at += request->page)
		if (cuts_call(unpatching, text, at))
			return true;
	return false;
}

/* Unpatches a function without blocks: all of it runs, if all its calls can lead to their
 * original targets. */
static bool make_whole(struct unpatching *unpatching, uint8_t *text)
{
	const struct unpatch_request *request = unpatching->request;
	const struct plan_function *function = request->function;

	memcpy(text, request->original, function->size);
	memcpy(text + function->size, request->patched + function->size, function->spare);
	vector_for_each (&unpatching->patches, patch)
		memcpy(text + patch->offset, request->patched + patch->offset,
		       patch->size);
	if (cuts_calls(unpatching, text))
		memcpy(text, request->patched, function->size);
	unpatching_mark(unpatching, unpatching->bytes, 0, function->size, BYTE_OPEN);
	take_patches(unpatching, text);
	return !unpatching->more;
}

/* Whether a block with the address of a switch's table has run unpatched. */
static bool has_named(const struct unpatching *unpatching)
{
	const uint64_t *open = unpatching->request->open;

	for (uint32_t b = 0; open && b < unpatching->count; b++)
		if (unpatching->blocks[b].flags & PLAN_BLOCK_NAMES && bit_test(open, b))
			return true;
	return false;
}

/* Without room for all jumps of unpatch_close, no block with the address of a switch's
 * table may run unpatched. False if even a text without unpatched blocks cannot be made;
 * `text` is undefined then. */
static bool can_close(struct unpatching *unpatching, uint8_t *text)
{
	if (!unpatching->has_switch || has_named(unpatching))
		return true;
	if (!make_text(unpatching, true, text))
		return false;
	for (uint32_t b = 0; unpatching->shut && b < unpatching->count; b++)
		unpatching->kept[b] |=
			(unpatching->blocks[b].flags & PLAN_BLOCK_NAMES) != 0;
	return true;
}

static struct unpatching homing_of(const struct unpatch_request *request)
{
	const struct plan_function *function = request->function;

	return (struct unpatching){
		.request = request,
		.blocks = request->plan->blocks.items + function->first_block,
		.count = function->map_row_count ? function->block_count : 0,
	};
}

bool unpatch_has_switch(const struct plan *plan, const struct plan_function *function)
{
	const struct plan_block *blocks = plan->blocks.items + function->first_block;

	for (uint32_t b = 0; function->map_row_count && b < function->block_count; b++)
		if (blocks[b].flags & PLAN_BLOCK_LED)
			return true;
	return false;
}

bool unpatch_make(const struct unpatch_request *request, uint8_t *text,
		  struct return_jumps *ways, uint64_t **ret_open, uint64_t *ret_early)
{
	const struct plan_function *function = request->function;
	struct unpatching unpatching = homing_of(request);
	bool made;

	if (function->reason != PLAN_INSTRUMENTED || function->hook || !function->size ||
	    !request->has_fired(request->context, function->slot))
		return false;
	begin_unpatching(&unpatching);
	made = learn_blocks(&unpatching);
	*ret_early = unpatching.early;
	if (made && unpatching.count) {
		made = can_close(&unpatching, text) &&
		       make_text(&unpatching, false, text) &&
		       add_ways(&unpatching, ways) && note_open(&unpatching, ret_open);
	} else if (made) {
		made = make_whole(&unpatching, text);
		*ret_open = NULL;
	}
	end_unpatching(&unpatching);
	return made;
}

void unpatch_close(const struct unpatch_request *request, uint8_t *text)
{
	struct unpatching unpatching = homing_of(request);

	begin_unpatching(&unpatching);
	if (!learn_blocks(&unpatching) || !unpatching.has_switch ||
	    !make_text(&unpatching, true, text) || unpatching.shut)
		memcpy(text, request->patched, unpatch_size(request->function));
	end_unpatching(&unpatching);
}
