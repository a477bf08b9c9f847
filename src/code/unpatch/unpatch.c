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
static uint32_t reach(struct homing *homing, uint32_t block, uint32_t queued)
{
	if (homing->states[block] != BLOCK_CLOSED)
		return queued;
	if (homing->pinned[block] || !homing->has_fired[block]) {
		homing->states[block] = BLOCK_LED;
		return queued;
	}
	homing->states[block] = BLOCK_OPEN;
	homing->queue[queued] = block;
	return queued + 1;
}

/* Whether relocated code may lead to a block: see struct home_way. */
static bool leads_home(const struct homing *homing, uint32_t block)
{
	return homing->blocks[block].slot != PLAN_NO_SLOT && !homing->pinned[block] &&
	       homing->has_fired[block];
}

/* Which blocks are come to if what fired runs at its own place. What relocated code has
 * of a switch's table may be that of the original. */
static void reach_all(struct homing *homing)
{
	uint32_t queued = reach(homing, 0, 0), to[2];

	for (uint32_t b = 1; b < homing->count; b++)
		if (homing->blocks[b].flags & (PLAN_BLOCK_ENTERED | PLAN_BLOCK_LED) ||
		    leads_home(homing, b))
			queued = reach(homing, b, queued);
	while (queued) {
		uint32_t count = homing_goes_on(homing, homing->queue[--queued], to);

		while (count)
			queued = reach(homing, to[--count], queued);
	}
}

/* The code in front of a block that lies where its original begins. What leads there from
 * the end of another is none, and a block with a stub has none: what follows is that of
 * the next one. */
static void note_front(struct homing *homing, const struct plan_step *step,
		       uint32_t offset, uint32_t code)
{
	uint32_t block;

	if (step->kind == PLAN_STEP_ORIGINAL ||
	    (step->kind == PLAN_STEP_JUMP && step[1].kind != PLAN_STEP_ORIGINAL))
		return;
	block = homing->leaders[offset];
	if (homing->fronts[block] == PLAN_NO_SLOT)
		homing->fronts[block] = code;
}

static bool is_call(const struct homing *homing, uint32_t offset, uint32_t size)
{
	return offset + size <= home_size(homing->request->function) &&
	       steps_is_call(homing->request->original + offset, size);
}

/* What is executed in place, and where calls return to. */
static void know_steps(struct homing *homing)
{
	const struct plan *plan = homing->request->plan;
	const struct plan_function *function = homing->request->function;
	const struct plan_step *steps = &plan->steps.items[function->first_step];
	uint32_t code = function->trampoline, offset = 0;

	for (uint32_t i = 0; i < function->step_count; i++) {
		const struct plan_step *step = &steps[i];
		uint32_t size = (uint32_t)plan_step_original(*step);

		if (step->kind == PLAN_STEP_ORIGINAL)
			homing_mark(homing, homing->known, offset, size, BYTE_KEPT);
		if (step->kind == PLAN_STEP_ORIGINAL ||
		    (step->kind == PLAN_STEP_MOVED && is_call(homing, offset, size)))
			homing_mark(homing, homing->known, offset + size, 1,
				    BYTE_ENTERED);
		if (offset < function->size && homing->known[offset] & BYTE_LEADER &&
		    step->kind != PLAN_STEP_AWAY && i + 1 < function->step_count)
			note_front(homing, step, offset, code);
		code += plan_step_code(*step);
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
static bool know_patches(struct homing *homing)
{
	const struct plan *plan = homing->request->plan;
	const struct plan_function *function = homing->request->function;
	const uint32_t index = (uint32_t)(function - plan->functions.items);
	const struct plan_patch *end = plan->patches.items + plan->patches.count;
	const struct plan_patch *patch = plan_patch_behind(plan, function->address);

	for (;
	     patch && patch < end && patch->address < function->address + function->size;
	     patch++) {
		const struct plan_patch *from = find_short(plan, patch);
		uint64_t offset = patch->address - function->address;
		uint64_t start = (from ? from : patch)->address - function->address;
		uint32_t block =
			homing->count ? homing_block(homing, (uint32_t)offset) : 0;
		bool own = patch->function == index && start < function->size;

		if (offset >= function->size || patch->size > function->size - offset)
			return false;
		vector_push(&homing->patches,
			    ((struct home_patch){
				    (uint32_t)offset, patch->size,
				    own ? (uint32_t)start : FOREIGN,
				    own && from ? homing_block(homing, (uint32_t)start)
						: block}));
		if (homing->count && homing->blocks[block].offset == offset && !from)
			homing->led[block] |=
				patch->bytes[0] == 0xe9 || patch->bytes[0] == 0xeb;
	}
	return true;
}

static void know_blocks(struct homing *homing)
{
	const struct home_request *request = homing->request;

	homing->leaders[0] = 0;
	for (uint32_t b = 0; b < homing->count; b++) {
		const struct plan_block *row = &homing->blocks[b];

		homing->fronts[b] = PLAN_NO_SLOT;
		homing->leaders[row->offset] = b;
		homing->known[row->offset] = BYTE_LEADER;
		homing->has_switch |= (row->flags & PLAN_BLOCK_LED) != 0;
		homing->has_fired[b] = row->slot == PLAN_NO_SLOT ||
				       (request->has_fired &&
					request->has_fired(request->context, row->slot));
	}
}

/* A block with a stub sets its flag there. The first one is led by the entry's jump. */
static void know_stubs(struct homing *homing)
{
	const struct plan *plan = homing->request->plan;
	const struct plan_function *function = homing->request->function;

	homing->led[0] = true;
	for (uint32_t i = 0; i < function->stub_count; i++) {
		uint64_t call = plan->stubs.items[function->first_stub + i].call;

		call -= function->address;
		if (call < function->size)
			homing->led[homing_block(homing, (uint32_t)call)] = true;
	}
}

static void pin(struct homing *homing, uint64_t offset)
{
	uint32_t block = homing_block(homing, (uint32_t)offset);

	homing->more |= !homing->pinned[block];
	homing->pinned[block] = true;
}

/* A patch that goes, maybe later than other pages of the text change. */
static void drop(struct homing *homing, const struct home_patch *patch, uint8_t *text)
{
	uint32_t offset = patch->offset, size = patch->size;

	memcpy(text + offset, homing->request->original + offset, size);
	/* It would be cut in half, or an island be gone that a short jump leads to. */
	if (homing->pages &&
	    !homing_both_on_one_page(homing, offset, size, patch->from, size))
		pin(homing, patch->from);
}

/* A patch that stays: what it lies in does not run. */
static void stay(struct homing *homing, const struct home_patch *patch)
{
	for (uint32_t i = patch->offset; i < patch->offset + patch->size; i++)
		if (homing->bytes[i] & BYTE_OPEN)
			pin(homing, i);
	homing_mark(homing, homing->bytes, patch->offset, patch->size, BYTE_KEPT);
}

/* A patch goes if what it leads out of runs. */
static void take_patches(struct homing *homing, uint8_t *text)
{
	vector_for_each (&homing->patches, patch) {
		if (patch->from != FOREIGN &&
		    (!homing->count || homing->states[patch->block] == BLOCK_OPEN))
			drop(homing, patch, text);
		else
			stay(homing, patch);
	}
}

/* Whether a block goes on to a place that nobody may come to. */
static bool has_nowhere(const struct homing *homing, uint32_t block, uint32_t to)
{
	return homing->no_room[to] || homing_turn(homing, block) < homing->barred[to];
}

/* Leads the branch of a block that runs to the relocated code of one that nobody may come
 * to, or for whose own jump there is no room (mostly that is a lone return). False if it
 * cannot be. An older text of the branch's page may still lead to the block's own place:
 * that is as it was then, or as the file has it. */
static bool lead_branch(const struct homing *homing, const struct plan_block *block,
			uint32_t to, uint8_t *text)
{
	const struct home_request *request = homing->request;
	uint32_t end = block->offset + block->size;
	int32_t other;

	if (homing->fronts[to] == PLAN_NO_SLOT || !homing_has_wide_branch(homing, block))
		return false;
	other = (int32_t)(request->plan->code_address + homing->fronts[to] -
			  (request->function->address + end));
	memcpy(text + end - HOMING_WIDE, &other, HOMING_WIDE);
	return true;
}

/* What would come to such places is led elsewhere, or stays in relocated code, too. */
static void pin_sources(struct homing *homing, uint8_t *text)
{
	for (uint32_t b = 0; b < homing->count; b++) {
		const struct plan_block *row = &homing->blocks[b];

		if (homing->states[b] != BLOCK_OPEN)
			continue;
		if ((row->flags & PLAN_BLOCK_FALLS && has_nowhere(homing, b, b + 1)) ||
		    (row->to != PLAN_EDGE_OUT && has_nowhere(homing, b, row->to) &&
		     !lead_branch(homing, row, row->to, text)))
			pin(homing, row->offset);
	}
}

static void open_blocks(struct homing *homing, uint8_t *text)
{
	for (uint32_t b = 0; b < homing->count; b++) {
		const struct plan_block *row = &homing->blocks[b];

		if (homing->states[b] != BLOCK_CLOSED)
			homing_mark(homing, homing->bytes, row->offset, 1, BYTE_ENTERED);
		if (homing->states[b] != BLOCK_OPEN)
			continue;
		homing_mark(homing, homing->bytes, row->offset, row->size, BYTE_OPEN);
		memcpy(text + row->offset, homing->request->original + row->offset,
		       row->size);
	}
}

/* Up to the function's ends. */
static bool differs(const struct homing *homing, const uint8_t *text, uint32_t from,
		    uint32_t to)
{
	uint32_t size = home_size(homing->request->function);

	to = to < size ? to : size;
	return from < to &&
	       memcmp(text + from, homing->request->patched + from, to - from) != 0;
}

/* Calls in the text may lead elsewhere by the plan (plan.calls): whether one may lie on
 * the pages in front of an offset and behind it, and would be cut in half. */
static bool cuts_call(const struct homing *homing, const uint8_t *text, uint32_t at)
{
	enum { MOST = 3 }; /* bytes on either page */

	return differs(homing, text, at > MOST ? at - MOST : 0, at) &&
	       differs(homing, text, at, at + MOST);
}

/* The offset of the first page that begins in the function. */
static uint32_t first_page(const struct homing *homing)
{
	return (uint32_t)(-homing->request->function->address &
			  (homing->request->page - 1));
}

/* What runs in front of a call that would be cut in half stays in relocated code. */
static void keep_whole(struct homing *homing, const uint8_t *text)
{
	const struct home_request *request = homing->request;

	for (uint32_t at = first_page(homing); at < request->function->size;
	     at += request->page)
		if (cuts_call(homing, text, at) &&
		    homing->states[homing_block(homing, at - 1)] == BLOCK_OPEN)
			pin(homing, at - 1);
}

/* A switch leads where its own table does once what names that ran at home, in whatever
 * text: such blocks stay in relocated code, where they name its clone, if it leads to a
 * place that nobody may come to. */
static void pin_names(struct homing *homing, uint32_t before)
{
	for (uint32_t b = 0; before && b < homing->count; b++)
		if (homing->states[b] == BLOCK_OPEN && homing_turn(homing, b) < before &&
		    homing->blocks[b].flags & PLAN_BLOCK_NAMES)
			pin(homing, homing->blocks[b].offset);
}

/* Whether all is right at places that not only other blocks lead to. */
static void check_led(struct homing *homing)
{
	homing->hopeless = homing->shut = false;
	for (uint32_t b = 0; b < homing->count; b++) {
		bool room = !homing->no_room[b];

		if (homing->blocks[b].flags & PLAN_BLOCK_ENTERED)
			homing->hopeless |= !room || homing->barred[b];
		if (homing->blocks[b].flags & PLAN_BLOCK_LED)
			homing->shut |= !room;
	}
	pin_names(homing, homing->shut ? NOWHERE : homing->led_barred);
}

/* With the blocks pinned that are. */
static void try(struct homing *homing, uint8_t *text)
{
	const uint32_t size = home_size(homing->request->function);

	memcpy(homing->bytes, homing->known, size);
	memcpy(text, homing->request->patched, size);
	memset(homing->states, BLOCK_CLOSED, homing->count);
	memset(homing->no_room, false, homing->count);
	homing->more = false;
	homing->short_count = 0;
	reach_all(homing);
	open_blocks(homing, text);
	take_patches(homing, text);
	homing_add_jumps(homing, text);
	check_led(homing);
	pin_sources(homing, text);
	keep_whole(homing, text);
}

/* Whether the code in front of a block is its own probe. A jump that is no code, as what
 * it leads to follows, has the probe of that. */
static bool has_probe(const struct homing *homing, uint32_t block)
{
	const struct plan *plan = homing->request->plan;
	uint32_t code = homing->fronts[block], slot;

	if (code == PLAN_NO_SLOT ||
	    probe_at(plan->code.items + code, plan->code.count - code) != PROBE_FLAG)
		return false;
	slot = probe_slot(plan, code);
	return slot == homing->blocks[block].slot ||
	       (!block && slot == homing->request->function->slot);
}

/* Probes in front of blocks that run at their own place. False if there are none. */
static bool add_ways(const struct homing *homing, struct home_ways *ways)
{
	size_t before = ways->count;

	for (uint32_t b = 0; b < homing->count; b++) {
		uint32_t code = homing->fronts[b];

		if (homing->states[b] == BLOCK_OPEN && has_probe(homing, b))
			vector_push(ways,
				    ((struct home_way){
					    code, homing->request->function->address +
							  homing->blocks[b].offset}));
	}
	return ways->count > before;
}

/* The text, with `pinned` without anything that runs at its own place. */
static bool make(struct homing *homing, bool pinned, uint8_t *text)
{
	if (pinned)
		memset(homing->pinned, true, homing->count);
	else
		memcpy(homing->pinned, homing->kept, homing->count);
	for (unsigned tries = 0; tries < TRIES; tries++) {
		try(homing, text);
		if (!homing->more)
			return !homing->hopeless;
	}
	return false;
}

/* Which blocks run. False if some did, and would no more. */
static bool note_open(const struct homing *homing, uint64_t **ret_open)
{
	const uint64_t *before = homing->request->open;
	uint64_t *open;

	for (uint32_t b = 0; b < homing->count; b++)
		if (before && bit_test(before, b) && homing->states[b] != BLOCK_OPEN)
			return false;
	open = memory_allocate_zeroed(bit_words(homing->count), sizeof(*open));
	for (uint32_t b = 0; b < homing->count; b++)
		if (homing->states[b] == BLOCK_OPEN)
			bit_set(open, b);
	*ret_open = open;
	return true;
}

/* Room for all that is to be known. */
static void begin(struct homing *homing)
{
	const size_t size = home_size(homing->request->function);
	const size_t blocks = homing->count + (size_t)1;
	uint32_t *numbers;
	uint8_t *bytes;

	homing->numbers = numbers =
		memory_allocate((4 * blocks + size) * sizeof(*numbers));
	homing->fronts = numbers;
	homing->queue = numbers + blocks;
	homing->bars[0] = numbers + 2 * blocks;
	homing->bars[1] = numbers + 3 * blocks;
	homing->leaders = numbers + 4 * blocks;
	homing->barred = homing->bars[0];
	memset(homing->barred, 0, 2 * blocks * sizeof(*numbers));
	homing->known = bytes = memory_allocate_zeroed(7 * blocks + 2 * size, 1);
	homing->bytes = bytes += size;
	homing->states = bytes += size;
	homing->no_room = (bool *)(bytes += blocks);
	homing->led = (bool *)(bytes += blocks);
	homing->pinned = (bool *)(bytes += blocks);
	homing->sealed = (bool *)(bytes += blocks);
	homing->has_fired = (bool *)(bytes += blocks);
	homing->kept = (bool *)(bytes += blocks);
	homing->pages = !homing_on_one_page(homing, 0, (uint32_t)size);
}

static void end(struct homing *homing)
{
	vector_deinit(&homing->patches);
	free(homing->numbers);
	free(homing->known);
}

/* False if it cannot go home: see know_patches. */
static bool know(struct homing *homing)
{
	know_blocks(homing);
	if (!know_patches(homing))
		return false;
	if (homing->count) {
		homing_choose_order(homing);
		know_stubs(homing);
		know_steps(homing);
	}
	return true;
}

static bool cuts_calls(const struct homing *homing, const uint8_t *text)
{
	const struct home_request *request = homing->request;

	for (uint32_t at = first_page(homing); at < request->function->size;
	     at += request->page)
		if (cuts_call(homing, text, at))
			return true;
	return false;
}

/* Of a function without blocks all runs, and calls lead where they did, where all of them
 * can. */
static bool make_whole(struct homing *homing, uint8_t *text)
{
	const struct home_request *request = homing->request;
	const struct plan_function *function = request->function;

	memcpy(text, request->original, function->size);
	memcpy(text + function->size, request->patched + function->size, function->spare);
	vector_for_each (&homing->patches, patch)
		memcpy(text + patch->offset, request->patched + patch->offset,
		       patch->size);
	if (cuts_calls(homing, text))
		memcpy(text, request->patched, function->size);
	homing_mark(homing, homing->bytes, 0, function->size, BYTE_OPEN);
	take_patches(homing, text);
	return !homing->more;
}

/* Whether a block ran at home that names the table of a switch. */
static bool has_named(const struct homing *homing)
{
	const uint64_t *open = homing->request->open;

	for (uint32_t b = 0; open && b < homing->count; b++)
		if (homing->blocks[b].flags & PLAN_BLOCK_NAMES && bit_test(open, b))
			return true;
	return false;
}

/* Where there is no room for all that home_close needs, no block that names the table of
 * a switch is to run at home. False if a text of which nothing runs cannot be made at
 * all. `text` is undefined then. */
static bool can_close(struct homing *homing, uint8_t *text)
{
	if (!homing->has_switch || has_named(homing))
		return true;
	if (!make(homing, true, text))
		return false;
	for (uint32_t b = 0; homing->shut && b < homing->count; b++)
		homing->kept[b] |= (homing->blocks[b].flags & PLAN_BLOCK_NAMES) != 0;
	return true;
}

static struct homing homing_of(const struct home_request *request)
{
	const struct plan_function *function = request->function;

	return (struct homing){
		.request = request,
		.blocks = request->plan->blocks.items + function->first_block,
		.count = function->step_count ? function->block_count : 0,
	};
}

bool home_has_switch(const struct plan *plan, const struct plan_function *function)
{
	const struct plan_block *blocks = plan->blocks.items + function->first_block;

	for (uint32_t b = 0; function->step_count && b < function->block_count; b++)
		if (blocks[b].flags & PLAN_BLOCK_LED)
			return true;
	return false;
}

bool home_make(const struct home_request *request, uint8_t *text, struct home_ways *ways,
	       uint64_t **ret_open, uint64_t *ret_early)
{
	const struct plan_function *function = request->function;
	struct homing homing = homing_of(request);
	bool made;

	if (function->reason != PLAN_INSTRUMENTED || function->hook || !function->size ||
	    !request->has_fired(request->context, function->slot))
		return false;
	begin(&homing);
	made = know(&homing);
	*ret_early = homing.early;
	if (made && homing.count) {
		made = can_close(&homing, text) && make(&homing, false, text) &&
		       add_ways(&homing, ways) && note_open(&homing, ret_open);
	} else if (made) {
		made = make_whole(&homing, text);
		*ret_open = NULL;
	}
	end(&homing);
	return made;
}

void home_close(const struct home_request *request, uint8_t *text)
{
	struct homing homing = homing_of(request);

	begin(&homing);
	if (!know(&homing) || !homing.has_switch || !make(&homing, true, text) ||
	    homing.shut)
		memcpy(text, request->patched, home_size(request->function));
	end(&homing);
}
