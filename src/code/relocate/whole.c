#include "code/relocate/whole.h"

#include "code/relocate/switches.h"
#include "code/scan/entry_call.h"

#include <string.h>

enum { JUMP = 5, SHORT_JUMP = 2, TO_FIND = UINT32_MAX - 1 };

/* Use of a byte of the original. */
enum whole_byte {
	BYTE_UNUSED,  /* nothing leads there: padding */
	BYTE_IDLE,    /* relocated; may still be run where it is */
	BYTE_LEADER,  /* idle, and branches lead to it: none may lead into a patch */
	BYTE_EXPOSED, /* relocated, but entered by other code: a jump must begin there */
	BYTE_KEPT,    /* part of an instruction that is executed there */
	BYTE_PATCHED,
};

static const struct cfg_instruction *instruction_at(const struct cfg *cfg, size_t i)
{
	return &cfg->instructions.items[i];
}

static uint32_t start_of(const struct cfg *cfg, uint32_t block)
{
	return instruction_at(cfg, cfg->blocks.items[block].first)->offset;
}

static uint32_t size_of(const struct cfg *cfg, const struct cfg_block *block)
{
	const struct cfg_instruction *first = instruction_at(cfg, block->first);
	const struct cfg_instruction *last = first + block->count - 1;

	return last->offset + last->length - first->offset;
}

/* Whether the function is left by the block's last instruction and never by another
 * way: nothing is left to count then. */
static bool leaves_function(const struct cfg *cfg, const struct cfg_block *block)
{
	const struct cfg_instruction *last =
		instruction_at(cfg, block->first + block->count - 1);

	return last->kind == CFG_RETURN || last->kind == CFG_TAIL_INDIRECT ||
	       last->kind == CFG_STOP ||
	       (last->kind == CFG_JUMP && cfg_block_at(cfg, last->target) == CFG_OUT);
}

/* Whether it is to have a probe of a call's end in front of its last instruction. */
static bool has_leave(const struct whole *whole, const struct cfg_block *block)
{
	const struct cfg_instruction *last =
		instruction_at(whole->cfg, block->first + block->count - 1);

	return whole_ends_call(whole, last) || whole_ends_span(whole, last) ||
	       (whole->follows && last->kind != CFG_STOP);
}

static bool may_copy(const struct whole_calls *calls, const struct cfg *cfg,
		     const struct cfg_instruction *row)
{
	int64_t callee;

	if (row->kind == CFG_KERNEL || row->kind == CFG_STOP)
		return false;
	if (row->kind != CFG_CALL)
		return true;
	/* Code that finds its own address by a call. */
	if (row->target - cfg->address < cfg->size && row->target != cfg->address)
		return false;
	callee = code_map_function_at(calls->map, row->target);
	return callee < 0 || !calls->readers[callee];
}

static void keep_patch(struct whole *whole, uint32_t i)
{
	const struct cfg_instruction *row = instruction_at(whole->cfg, i);

	whole->original.items[i] = true;
	memset(whole->bytes.items + row->offset, BYTE_KEPT, row->length);
}

/* Whether a patch may overwrite a call, if it is the first one of its block: it is then
 * made in relocated code only, unless the block gets a stub. */
static bool gives_way(const struct whole *whole, uint32_t i)
{
	const struct cfg_instruction *row = instruction_at(whole->cfg, i);

	return whole->over_calls &&
	       (row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT) &&
	       may_copy(whole->calls, whole->cfg, row);
}

/* Whether there are points at or behind an instruction of a block. */
static bool has_points(const struct whole *whole, const struct cfg_block *block,
		       uint32_t first)
{
	for (uint32_t i = first; whole->points && i < block->first + block->count; i++)
		if (point_places_have(whole->points, POINT_BEFORE, i) ||
		    point_places_have(whole->points, POINT_AFTER, i))
			return true;
	return false;
}

/* Whether instruction `i` of a block stays original with those that are executed in place
 * in front of it and behind it, `last` being the last such one: there are no points
 * between the two. */
static bool stays_between(const struct whole *whole, const struct cfg_block *block,
			  uint32_t i, uint32_t last)
{
	const struct cfg *cfg = whole->cfg;
	uint32_t start = i, end = i;

	if (!whole->apart || i >= last || cfg_is_in_place(instruction_at(cfg, i)))
		return true;
	while (start > block->first && !cfg_is_in_place(instruction_at(cfg, start - 1)))
		start--;
	/* The end of the block may be original, too, with none behind it. */
	while (end + 1 < last && !cfg_is_in_place(instruction_at(cfg, end)))
		end++;
	for (uint32_t j = start; j <= end; j++)
		if (point_places_have(whole->points, POINT_BEFORE, j) ||
		    point_places_have(whole->points, POINT_AFTER, j - 1))
			return false;
	return true;
}

/* From the first instruction of a block that is executed in place on, everything up to
 * the last such one is, and the rest if it leads out. */
static void choose_place(struct whole *whole, const struct cfg_block *block)
{
	const struct cfg *cfg = whole->cfg;
	uint32_t end = block->first + block->count, first = end, last = 0;

	for (uint32_t i = block->first; i < end; i++) {
		if (!cfg_is_in_place(instruction_at(cfg, i)))
			continue;
		if (first == end)
			first = i;
		last = i + 1;
	}
	if (first < end && leaves_function(cfg, block) && !has_leave(whole, block) &&
	    !has_points(whole, block, last))
		last = end;
	if (first < end && gives_way(whole, first))
		whole->original.items[first++] = true;
	for (uint32_t i = first; i < last; i++)
		if (stays_between(whole, block, i, last))
			keep_patch(whole, i);
}

/*
 * How far a patch may extend. FIT_CLEAN: the original can be run from any instruction
 * that is not patched. FIT_OVER_LEADERS: not where a branch leads into the patch, but
 * that branch is never executed: see docs/design/relocation.md.
 */
enum fit { FIT_CLEAN, FIT_OVER_LEADERS, FITS };

/* Whether a patch may lie there. */
static bool is_free(const struct whole *whole, uint32_t offset, uint32_t size,
		    enum whole_byte first, enum fit fit)
{
	const enum whole_byte most = fit == FIT_CLEAN ? BYTE_IDLE : BYTE_LEADER;

	if (offset + size > whole->cfg->size || whole->bytes.items[offset] > first)
		return false;
	for (uint32_t i = 1; i < size; i++)
		if (whole->bytes.items[offset + i] > most)
			return false;
	return true;
}

static void take_bytes(struct whole *whole, uint32_t offset, uint32_t size)
{
	memset(whole->bytes.items + offset, BYTE_PATCHED, size);
}

/*
 * The forms of a jump, the best first. A short one leads to an island, and so is two
 * jumps: a program whose tracer is dead may take its text back when a thread has
 * taken the first. So whatever one jump can do, one does.
 */
enum { FORMS = 4 };
static const struct {
	uint8_t size;
	enum fit fit;
} forms[FORMS] = {
	{JUMP, FIT_CLEAN},
	{JUMP, FIT_OVER_LEADERS},
	{SHORT_JUMP, FIT_CLEAN},
	{SHORT_JUMP, FIT_OVER_LEADERS},
};

static void add_patch(struct whole *whole, uint32_t instruction, bool block_start,
		      uint32_t size)
{
	uint32_t offset = instruction_at(whole->cfg, instruction)->offset;

	take_bytes(whole, offset, size);
	vector_push(&whole->patches,
		    ((struct whole_patch){.offset = offset,
					  .instruction = instruction,
					  .island = size == JUMP ? WHOLE_NONE : TO_FIND,
					  .block_start = block_start}));
}

/* The call of a block that may be led to a stub: a direct one behind plain instructions.
 * WHOLE_NONE: it has none. A stub's counter changes flags, which the callee may take. */
static uint32_t find_stub_call(const struct cfg *cfg, uint32_t number)
{
	const struct cfg_block *block = &cfg->blocks.items[number];
	uint32_t end = block->first + block->count, call = block->first;
	const struct cfg_instruction *row;

	while (call < end && instruction_at(cfg, call)->kind == CFG_PLAIN)
		call++;
	if (call == end)
		return WHOLE_NONE;
	row = instruction_at(cfg, call);
	if (!number && row->kind == CFG_CALL_INDIRECT &&
	    entry_call_is_word(cfg->bytes + row->offset, row->length))
		return call;
	return row->kind == CFG_CALL && row->length == JUMP && !row->read ? call
									  : WHOLE_NONE;
}

/* Keeps a block original up to its first call, which is then led to a stub. */
static bool make_stub(struct whole *whole, uint32_t number)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *block = &cfg->blocks.items[number];
	uint32_t call = find_stub_call(cfg, number);

	if (call == WHOLE_NONE || whole->follows)
		return false;
	for (uint32_t i = block->first; i <= call; i++)
		for (unsigned j = 0; j < instruction_at(cfg, i)->length; j++)
			if (whole->bytes.items[instruction_at(cfg, i)->offset + j] ==
			    BYTE_PATCHED)
				return false;
	for (uint32_t i = block->first; i <= call; i++)
		keep_patch(whole, i);
	whole->blocks.items[number].stub = call;
	return true;
}

bool whole_is_led(const struct whole *whole, uint32_t block)
{
	return whole->live && whole->led.items[block];
}

/* Whether code that is not relocated leads to the start of a block. */
static bool is_exposed(const struct whole *whole, uint32_t number)
{
	return whole->cfg->blocks.items[number].exposed || whole_is_led(whole, number);
}

/* Whether the original bytes at the start of a block lead to its counter. */
static bool is_entered(const struct whole *whole, uint32_t number)
{
	return (is_exposed(whole, number) &&
		whole->bytes.items[start_of(whole->cfg, number)] == BYTE_PATCHED) ||
	       whole->blocks.items[number].stub != WHOLE_NONE;
}

/* Whether the original may run from a block into the next one: no branch ends it. */
static bool runs_on(const struct cfg *cfg, uint32_t number)
{
	const struct cfg_block *block = &cfg->blocks.items[number];

	return number + 1 < cfg->blocks.count &&
	       !cfg_ends_block(instruction_at(cfg, block->first + block->count - 1));
}

/* Whether the original leads from the start of a block into relocated code. */
static bool leads_back(const struct whole *whole, uint32_t number)
{
	uint32_t first = whole->cfg->blocks.items[number].first;

	if (is_entered(whole, number))
		return true;
	vector_for_each (&whole->patches, patch)
		if (patch->instruction == first && patch->block_start && !patch->spared)
			return true;
	return false;
}

/* Whether the rest of a block need not be left, since the original does nothing there but
 * jump to where it leads back. Who jumps there so is not told apart from others. */
static bool runs_back(const struct whole *whole, const struct cfg_block *block)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_instruction *last =
		instruction_at(cfg, block->first + block->count - 1);
	uint32_t to;

	if (last->kind != CFG_JUMP)
		return false;
	to = cfg_block_at(cfg, last->target);
	return to && to != CFG_OUT && leads_back(whole, to);
}

/* Finds room for the jump from the original back into relocated code behind the last kept
 * instruction of a block: there, at a later instruction of the block, or at the start of
 * the next. */
static bool patch_return(struct whole *whole, uint32_t number, uint32_t behind)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *block = &cfg->blocks.items[number];
	uint32_t end = block->first + block->count, limit = end + runs_on(cfg, number);

	for (unsigned form = 0; form < FORMS; form++)
		for (uint32_t i = behind; i < limit; i++) {
			bool entered = i == end && is_entered(whole, number + 1);

			if (!entered &&
			    !is_free(whole, instruction_at(cfg, i)->offset,
				     forms[form].size, BYTE_EXPOSED, forms[form].fit))
				continue;
			for (uint32_t j = behind; j < i; j++)
				keep_patch(whole, j);
			if (!entered)
				add_patch(whole, i, i == end, forms[form].size);
			return true;
		}
	/* A stub may do, at the start of the next block. */
	return behind == end && limit > end && make_stub(whole, number + 1);
}

static void keep_all(struct whole *whole, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		keep_patch(whole, i);
}

/* The instruction behind the last one of a block that is executed in place; the block's
 * first one if none is. */
static uint32_t behind_original(const struct whole *whole, const struct cfg_block *block)
{
	uint32_t behind = block->first + block->count;

	while (behind > block->first && !whole->original.items[behind - 1])
		behind--;
	return behind;
}

/* No patch may lie over the place that a call returns to whose own bytes protect it from
 * that no more. */
static void protect_returns(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t b = 0; whole->over_calls && b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		uint32_t end = block->first + block->count;
		uint32_t behind = behind_original(whole, block);
		uint8_t *byte;

		if (behind == block->first || (behind == end && !runs_on(cfg, b)))
			continue;
		byte = &whole->bytes.items[instruction_at(cfg, behind)->offset];
		if (*byte < BYTE_EXPOSED)
			*byte = BYTE_EXPOSED;
	}
}

/* Finds room for the jump back into relocated code in a gap between instructions that are
 * executed in place; without any the gap stays original. False if it cannot. */
static bool patch_gap(struct whole *whole, uint32_t first, uint32_t end)
{
	for (unsigned form = 0; form < FORMS; form++)
		for (uint32_t i = first; i < end; i++) {
			if (!is_free(whole, instruction_at(whole->cfg, i)->offset,
				     forms[form].size, BYTE_EXPOSED, forms[form].fit))
				continue;
			keep_all(whole, first, i);
			add_patch(whole, i, false, forms[form].size);
			return true;
		}
	for (uint32_t i = first; i < end; i++)
		for (unsigned j = 0; j < instruction_at(whole->cfg, i)->length; j++)
			if (whole->bytes.items[instruction_at(whole->cfg, i)->offset +
					       j] == BYTE_PATCHED)
				return false;
	keep_all(whole, first, end);
	return true;
}

/* Finds room in all gaps. */
static bool patch_gaps(struct whole *whole)
{
	for (uint32_t b = 0; whole->apart && b < whole->cfg->blocks.count; b++) {
		const struct cfg_block *block = &whole->cfg->blocks.items[b];
		const uint32_t last = behind_original(whole, block);

		for (uint32_t i = block->first + 1, end; i < last; i = end) {
			end = i + 1;
			if (whole->original.items[i] || !whole->original.items[i - 1])
				continue;
			while (!whole->original.items[end])
				end++;
			if (!patch_gap(whole, i, end))
				return false;
		}
	}
	return true;
}

static bool patch_returns(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		uint32_t end = block->first + block->count;
		uint32_t behind = behind_original(whole, block);

		if (behind == block->first)
			continue; /* nothing of it is executed in place */
		if (behind == end &&
		    (leaves_function(cfg, block) || b + 1 == cfg->blocks.count))
			continue;
		if (patch_return(whole, b, behind)) {
			if (!whole->follows &&
			    ((has_leave(whole, block) && !whole->all_leave) ||
			     runs_back(whole, block)))
				whole->patches.items[whole->patches.count - 1].spared =
					end;
			continue;
		}
		/* A return that is not seen is noticed later, and so are points that are
		 * left out. */
		if ((!has_leave(whole, block) && !(leaves_function(cfg, block) &&
						   has_points(whole, block, behind))) ||
		    whole->follows)
			return false;
		keep_all(whole, behind, end);
	}
	return true;
}

static bool patch_exposed(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t b = 1; b < cfg->blocks.count; b++) {
		uint32_t first = cfg->blocks.items[b].first;
		unsigned form = 0;

		if (!is_exposed(whole, b))
			continue;
		while (form < FORMS && !is_free(whole, start_of(cfg, b), forms[form].size,
						BYTE_EXPOSED, forms[form].fit))
			form++;
		if (form < FORMS)
			add_patch(whole, first, true, forms[form].size);
		else if (!make_stub(whole, b))
			return false;
	}
	return true;
}

/* Five bytes that a short jump at `offset` reaches, and whose highest is `most`. */
static bool find_free(struct whole *whole, uint32_t offset, enum whole_byte most,
		      uint32_t *ret_island)
{
	uint32_t end = offset + SHORT_JUMP, free = 0;
	uint32_t at = end > 128 ? end - 128 : 0, high = end + 127;

	for (; at < whole->cfg->size && at < high + JUMP; at++) {
		free = whole->bytes.items[at] <= most ? free + 1 : 0;
		if (free < JUMP)
			continue;
		*ret_island = at + 1 - JUMP;
		take_bytes(whole, *ret_island, JUMP);
		return true;
	}
	return false;
}

/* Finds an island among bytes of the least useful kind. */
static bool find_island(struct whole *whole, uint32_t offset, uint32_t *ret_island)
{
	return find_free(whole, offset, BYTE_UNUSED, ret_island) ||
	       find_free(whole, offset, BYTE_IDLE, ret_island) ||
	       find_free(whole, offset, BYTE_LEADER, ret_island);
}

/* Does without a patch for which there is no island; false if it is needed, or an island
 * of another lies in what would run instead. */
static bool spare_patch(struct whole *whole, const struct whole_patch *patch)
{
	const struct cfg_instruction *last;

	if (!patch->spared)
		return false;
	last = instruction_at(whole->cfg, patch->spared - 1);
	for (uint32_t i = patch->offset + SHORT_JUMP; i < last->offset + last->length;
	     i++)
		if (whole->bytes.items[i] == BYTE_PATCHED)
			return false;
	keep_all(whole, patch->instruction, patch->spared);
	if (last->kind == CFG_JUMP && cfg_block_at(whole->cfg, last->target) != CFG_OUT)
		whole->blocks.items[cfg_block_at(whole->cfg, last->target)].jumped = true;
	return true;
}

/* If there is no island for a short jump at the start of a block, gives a call in the
 * block a stub. */
static bool stub_instead(struct whole *whole, const struct whole_patch *patch)
{
	const struct cfg *cfg = whole->cfg;
	uint32_t number = cfg_block_at(cfg, cfg->address + patch->offset);

	if (!patch->block_start || number == CFG_OUT)
		return false;
	memset(whole->bytes.items + patch->offset, BYTE_IDLE, SHORT_JUMP);
	return make_stub(whole, number);
}

/* Whether nothing else would do for a patch. */
static bool needs_island(const struct whole *whole, const struct whole_patch *patch)
{
	const struct cfg *cfg = whole->cfg;
	uint32_t number;

	if (patch->spared || !patch->block_start)
		return !patch->spared;
	number = cfg_block_at(cfg, cfg->address + patch->offset);
	return number == CFG_OUT || find_stub_call(cfg, number) == WHOLE_NONE;
}

static bool take_island(struct whole *whole, struct whole_patch *patch)
{
	return patch->island != TO_FIND ||
	       find_island(whole, patch->offset, &patch->island);
}

/* Finds islands. Room is scarce in small functions: jumps that need one come first. */
static bool find_islands(struct whole *whole)
{
	size_t kept = 0;

	vector_for_each (&whole->patches, patch)
		if (needs_island(whole, patch) && !take_island(whole, patch))
			return false;
	vector_for_each (&whole->patches, patch) {
		if (take_island(whole, patch))
			whole->patches.items[kept++] = *patch;
		else if (!spare_patch(whole, patch) && !stub_instead(whole, patch))
			return false;
	}
	whole->patches.count = kept;
	return true;
}

static void mark_bytes(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	vector_reserve(&whole->bytes, cfg->size);
	memset(whole->bytes.items, BYTE_UNUSED, cfg->size);
	vector_for_each (&cfg->edges, edge)
		if (edge->to != CFG_OUT)
			whole->bytes.items[start_of(cfg, edge->to)] = BYTE_LEADER;
	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		uint32_t offset = start_of(cfg, b);
		uint8_t first = whole->bytes.items[offset];

		if (is_exposed(whole, b))
			first = b ? BYTE_EXPOSED : BYTE_LEADER;
		if (first == BYTE_UNUSED)
			continue;
		memset(whole->bytes.items + offset, BYTE_IDLE, size_of(cfg, block));
		whole->bytes.items[offset] = first;
		choose_place(whole, block);
	}
}

bool whole_needs_entry_slot(const struct whole *whole)
{
	vector_for_each (&whole->cfg->edges, edge)
		if (!edge->to)
			return true;
	return false;
}

const struct whole_patch *whole_fall_patch(const struct whole *whole, uint32_t block)
{
	const struct cfg_block *row = &whole->cfg->blocks.items[block];

	if (row->exposed)
		return NULL;
	vector_for_each (&whole->patches, patch)
		if (patch->block_start && patch->instruction == row->first)
			return patch;
	return NULL;
}

/* Marks the blocks to which switches lead. False if the first one is among them: the jump
 * there counts a call. */
static bool note_led(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	if (!whole->live)
		return true;
	vector_reserve(&whole->led, cfg->blocks.count);
	memset(whole->led.items, 0, cfg->blocks.count * sizeof(*whole->led.items));
	vector_for_each (&cfg->tables, table)
		for (uint32_t i = 0; table->bytes && i < table->count; i++) {
			uint32_t block = cfg_block_at(cfg, switches_entry(cfg, table, i));

			if (block != CFG_OUT)
				whole->led.items[block] = true;
		}
	return !whole->led.items[0];
}

/* Whether the jump at the entry may lie over a call: the first one, if it is made in
 * relocated code. Nothing leads to its original then, and what it returns to is behind
 * the jump. */
static bool may_cover_call(const struct whole *whole, uint32_t entry)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *block = cfg->blocks.items;
	uint32_t end = block->first + block->count, i = block->first;
	const struct cfg_instruction *call;

	while (i < end && !whole->original.items[i])
		i++;
	if (!whole->calls || i == end || entry + JUMP > cfg->size)
		return false;
	call = instruction_at(cfg, i);
	return call->offset >= entry && call->offset < entry + JUMP &&
	       call->offset + call->length >= entry + JUMP && call->kind != CFG_STOP &&
	       may_copy(whole->calls, cfg, call);
}

/* Has the calls made in relocated code. */
static void copy_calls(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t b = 0; whole->calls && b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		uint32_t end = block->first + block->count, i = block->first;

		if (whole->blocks.items[b].stub != WHOLE_NONE)
			continue;
		for (; i < end; i++) {
			if (!whole->original.items[i])
				continue;
			if (!may_copy(whole->calls, cfg, instruction_at(cfg, i)))
				break;
			whole->copied.items[i] = true;
		}
	}
}

bool whole_sees_returns(const struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	vector_for_each (&cfg->blocks, block) {
		uint32_t last = block->first + block->count - 1;

		if (whole_ends_span(whole, instruction_at(cfg, last)) &&
		    whole_in_place(whole, last))
			return false;
	}
	return true;
}

/* A jump of five bytes at the entry, or one of two, or a stub for the first call. */
static bool patch_entry(struct whole *whole, uint32_t entry)
{
	whole->entry_island = WHOLE_NONE;
	whole->entry_short = false;
	whole->entry_patched =
		is_free(whole, entry, JUMP, BYTE_LEADER, FIT_OVER_LEADERS) ||
		may_cover_call(whole, entry);
	if (whole->entry_patched) {
		take_bytes(whole, entry, JUMP);
		return true;
	}
	if (!whole->points && !whole_needs_entry_slot(whole) && make_stub(whole, 0))
		return true;
	whole->entry_short = whole->entry_patched =
		is_free(whole, entry, SHORT_JUMP, BYTE_LEADER, FIT_OVER_LEADERS);
	if (whole->entry_short)
		take_bytes(whole, entry, SHORT_JUMP);
	return whole->entry_short;
}

/* Forgets what an earlier try decided. */
static void begin_fit(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	whole->patches.count = whole->blocks.count = whole->edges.count = 0;
	vector_reserve(&whole->blocks, cfg->blocks.count);
	for (size_t i = 0; i < cfg->blocks.count; i++)
		vector_push(&whole->blocks, ((struct whole_block){.stub = WHOLE_NONE,
								  .slot = WHOLE_NONE}));
	vector_reserve(&whole->copied, cfg->instructions.count);
	memset(whole->copied.items, 0,
	       cfg->instructions.count * sizeof(*whole->copied.items));
	vector_reserve(&whole->original, cfg->instructions.count);
	memset(whole->original.items, 0,
	       cfg->instructions.count * sizeof(*whole->original.items));
}

static bool find_room(struct whole *whole, const struct whole_entry *entry)
{
	begin_fit(whole);
	mark_bytes(whole);
	protect_returns(whole);
	if (!patch_entry(whole, entry->offset) || !patch_exposed(whole) ||
	    !patch_returns(whole) || !patch_gaps(whole))
		return false;
	if (whole->entry_short && !entry->has_island &&
	    !find_island(whole, entry->offset, &whole->entry_island))
		return false;
	return find_islands(whole);
}

/* Whether there is room without gaps, for a function with points. */
static bool fits_together(struct whole *whole, const struct whole_entry *entry)
{
	whole->over_calls = false;
	return whole->points && find_room(whole, entry);
}

bool whole_fit(struct whole *whole, const struct cfg *cfg,
	       const struct whole_entry *entry, const struct whole_calls *calls)
{
	whole->cfg = cfg;
	whole->calls = calls;
	whole->over_calls = false;
	if (!note_led(whole))
		return false;
	whole->apart = whole->points != NULL;
	if (!find_room(whole, entry)) {
		whole->apart = false;
		whole->over_calls = calls != NULL;
		if ((!calls || !find_room(whole, entry)) && !fits_together(whole, entry))
			return false;
	}
	copy_calls(whole);
	return true;
}

void whole_deinit(struct whole *whole)
{
	vector_deinit(&whole->bytes);
	vector_deinit(&whole->original);
	vector_deinit(&whole->copied);
	vector_deinit(&whole->led);
	vector_deinit(&whole->patches);
	vector_deinit(&whole->blocks);
	vector_deinit(&whole->edges);
	vector_deinit(&whole->codes);
	vector_deinit(&whole->fixups);
	vector_deinit(&whole->misses);
	vector_deinit(&whole->brief);
	vector_deinit(&whole->clones);
	vector_deinit(&whole->entrances);
	vector_deinit(&whole->tails);
	vector_deinit(&whole->stretches);
	vector_deinit(&whole->alone);
}
