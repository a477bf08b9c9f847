#include "code/planner/lazy.h"

#include "base/page.h"
#include "code/builder/beyond.h"
#include "code/builder/plan_builder.h"
#include "code/calls/call_stubs.h"
#include "code/entry/trampoline.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "code/planner/write_row.h"
#include "code/scan/ra_readers.h"
#include "image/contents.h"

#include <string.h>

enum { LATCH_ALIGNMENT = 16, NO_PART = UINT32_MAX };

/* Patches that are not sorted in among the others yet. */
enum { LATE_MAX = 4096 };

struct lazy {
	struct plan_request request;
	struct plan_builder builder;
	/* The cold parts of each function, as lists by their indices. */
	uint32_t *first_part, *next_part;
	bool *read; /* by function: it was looked at what return addresses it reads */
	struct VECTOR(uint32_t) wanted; /* functions to be planned now */
};

static struct plan_function *row_of(const struct lazy *lazy, uint32_t index)
{
	return &lazy->builder.plan->functions.items[index];
}

/* Whether a function was planned, or there was no room for it. */
static bool is_settled(const struct lazy *lazy, uint32_t index)
{
	const struct plan_function *row = row_of(lazy, index);

	return row->place < lazy->builder.plan->placed || row->reason == PLAN_NO_SPACE;
}

/* The function that holds an address; PLAN_NO_FUNCTION: none does. */
static uint32_t function_around(const struct lazy *lazy, uint64_t address)
{
	const struct plan *plan = lazy->builder.plan;
	const struct plan_function *row = plan_function_at(plan, address);

	return row && address - row->address < row->size
		       ? (uint32_t)(row - plan->functions.items)
		       : PLAN_NO_FUNCTION;
}

static void want_function(struct lazy *lazy, uint32_t index)
{
	if (!is_settled(lazy, index))
		vector_push(&lazy->wanted, index);
}

/* Puts its code next in order: it swaps places with the function that had that place. */
static void take_place(struct plan *plan, uint32_t index)
{
	struct plan_function *rows = plan->functions.items;
	uint32_t place = plan->placed++, other = rows[place].by_code;

	rows[rows[index].place].by_code = other;
	rows[other].place = rows[index].place;
	rows[place].by_code = index;
	rows[index].place = place;
}

/* Whether a function, which `caller` calls, reads return addresses: then it is hooked
 * where calls are made in relocated code. */
static void read_function(struct lazy *lazy, uint32_t index, uint32_t caller)
{
	struct plan_builder *builder = &lazy->builder;
	struct entry_patch *choice = &builder->choices[index];

	if (lazy->read[index])
		return;
	lazy->read[index] = true;
	if (ra_readers_read(builder->image, index, builder->returns.readers))
		beyond_find_one(builder, index, caller);
	if (!builder->returns.readers[index])
		return;
	if (!choice->hook)
		choice->hook = builder_ra_hook(builder, index);
	for (uint32_t part = lazy->first_part[index]; part != NO_PART;
	     part = lazy->next_part[part]) {
		builder->returns.readers[part] = builder->returns.readers[index];
		builder->choices[part].wanted &= !choice->hook;
	}
}

/* A jump of a function that leads out of it: what it leads to in the middle of another
 * must be planned with it. */
static void follow_jump(struct lazy *lazy, uint64_t target)
{
	uint32_t other = function_around(lazy, target);

	if (other != PLAN_NO_FUNCTION && (target != row_of(lazy, other)->address ||
					  plan_is_cold_part(row_of(lazy, other))))
		want_function(lazy, row_of(lazy, other)->part_of);
}

/* Calls of what reads return addresses are made in place. */
static void follow_call(struct lazy *lazy, uint32_t caller, uint64_t target)
{
	int64_t callee = code_map_function_at(&lazy->builder.scan.map, target);

	if (callee >= 0)
		read_function(lazy, (uint32_t)callee, caller);
}

/* Finds out what must be known, or planned, for a function to be planned. */
static void follow_calls(struct lazy *lazy, uint32_t index)
{
	const struct plan_function *row = row_of(lazy, index);
	const uint8_t *bytes =
		image_bytes_at(lazy->builder.image, row->address, row->size);
	struct brief brief;

	for (uint32_t at = 0; bytes && at < row->size; at += brief.length) {
		uint64_t target = row->address + at;
		enum cfg_kind kind;

		if (!length_decode(bytes + at, row->size - at, &brief))
			return;
		kind = cfg_kind_of(&brief);
		if (kind != CFG_JUMP && kind != CFG_CONDITION && kind != CFG_LOOP &&
		    kind != CFG_CALL)
			continue;
		target +=
			brief.length + length_distance(bytes + at + brief.length, &brief);
		if (kind == CFG_CALL)
			follow_call(lazy, index, target);
		else if (target - row->address >= row->size)
			follow_jump(lazy, target);
	}
}

static bool is_within(const struct lazy *lazy, const struct lazy_limits *limits)
{
	const struct plan *plan = lazy->builder.plan;

	return plan->slot_count <= limits->slots && plan->code.count <= limits->code &&
	       plan->map_rows.count <= limits->steps;
}

/* Whether code depends on the load address of the module, which is shared in the file. */
static bool has_addresses(const struct lazy *lazy, size_t first)
{
	const struct plan *plan = lazy->builder.plan;

	for (size_t i = first; i < plan->fixups.count; i++)
		if (plan->fixups.items[i].kind == PLAN_FIXUP_ADDRESS)
			return lazy->builder.image->type == IMAGE_DYNAMIC;
	return false;
}

/* Writes one function; false if there is no room for it: nothing is left of it then. */
static bool plan_one(struct lazy *lazy, uint32_t index, const struct lazy_limits *limits)
{
	struct plan_builder *builder = &lazy->builder;
	struct plan *plan = builder->plan;
	struct plan_function *row = row_of(lazy, index);
	const struct builder_mark mark = builder_mark(builder);
	const struct plan_function before = *row;
	const uint32_t slots = plan->slot_count, parts = plan->part_count;

	read_function(lazy, row->part_of, row->part_of);
	follow_calls(lazy, index);
	*row = (struct plan_function){.place = row->place, .by_code = row->by_code};
	builder_write_row(builder, index);
	plan->part_count = parts;
	if (limits && (!is_within(lazy, limits) || has_addresses(lazy, mark.fixups))) {
		builder_undo(builder, &mark);
		plan->slot_count = slots;
		*row = before;
		row->reason = PLAN_NO_SPACE;
		return false;
	}
	take_place(plan, index);
	if (builder->entries.entrances)
		call_stubs_note_entrance(builder, index);
	return true;
}

/* Plans the wanted functions and those that they need. */
static bool plan_wanted(struct lazy *lazy, const struct lazy_limits *limits)
{
	bool good = true;

	while (lazy->wanted.count) {
		uint32_t index = lazy->wanted.items[--lazy->wanted.count];

		if (is_settled(lazy, index))
			continue;
		good &= plan_one(lazy, index, limits);
		for (uint32_t part = lazy->first_part[index]; part != NO_PART;
		     part = lazy->next_part[part])
			want_function(lazy, part);
	}
	return good;
}

/* Whether a function has, and keeps, a jump of five bytes at its entry, and nothing else
 * of it need be changed to enter it there. */
static bool may_wait(const struct plan_builder *builder, uint32_t index)
{
	const struct entry_patch *choice = &builder->choices[index];
	const struct image_function *row = &builder->image->functions.items[index];

	return choice->wanted && !choice->hook && !choice->reason && !choice->call_end &&
	       choice->size == BUILDER_JUMP && !choice->island && !choice->loop &&
	       !builder->returns.readers[index] &&
	       !(row->flags & (IMAGE_FUNCTION_COLD_PART | IMAGE_FUNCTION_GO));
}

/* Writes a latch, and the jump to it; false if that cannot be. */
static bool write_latch(struct plan_builder *builder, uint32_t index)
{
	const struct entry_patch *choice = &builder->choices[index];
	struct plan *plan = builder->plan;
	const struct builder_mark mark = builder_mark(builder);
	struct plan_function *row = &plan->functions.items[index];
	const struct trampoline trampoline = {
		.address = row->address,
		.bytes = image_bytes_at(builder->image, row->address, row->size),
		.size = row->size,
		.displaced = choice->displaced,
		.copied = choice->displaced,
		.probe = PROBE_NONE,
		.hook = builder->request->hook_lazy,
		.hook_layout = builder->request->hook_layout,
		.latch = true,
	};
	uint32_t code;
	uint64_t start;

	vector_reserve(&plan->code,
		       plan->code.count + LATCH_ALIGNMENT + TRAMPOLINE_SIZE_MAX);
	while (plan->code.count % LATCH_ALIGNMENT)
		vector_push(&plan->code, 0xcc);
	code = (uint32_t)plan->code.count;
	if (builder_write_trampoline(builder, &trampoline, &start) ||
	    plan->fixups.count != mark.fixups ||
	    !builder_patch_jump(
		    builder_add_patch(&plan->patches,
				      row->address + trampoline_patch_offset(
							     trampoline.bytes, row->size),
				      index, BUILDER_JUMP),
		    0, plan->code_address + code)) {
		builder_undo(builder, &mark);
		return false;
	}
	vector_push(&plan->latches, ((struct plan_latch){code, index}));
	builder->entries.latched[index] = true;
	row->displaced = row->copied = choice->displaced;
	return true;
}

/* As if none was planned. */
static void begin_rows(struct lazy *lazy)
{
	struct plan_builder *builder = &lazy->builder;
	struct plan *plan = builder->plan;

	builder_restart(builder);
	plan->slot_count = 1; /* slot 0 is for functions that were not called */
	builder_reserve_points(builder);
	plan->cold_slot = UINT32_MAX;
	for (uint32_t i = 0; i < plan->functions.count; i++) {
		const struct image_function *function =
			&builder->image->functions.items[i];

		*row_of(lazy, i) = (struct plan_function){
			.address = function->address,
			.size = function->size > UINT32_MAX ? UINT32_MAX
							    : (uint32_t)function->size,
			.name = function->name,
			.trampoline = PLAN_LATER,
			.slots = UINT32_MAX,
			.cold_slots = UINT32_MAX,
			.place = i,
			.by_code = i,
			.part_of = cold_parts_owner(builder->image, i),
			.flags = (uint16_t)function->flags,
			.reason = builder->choices[cold_parts_owner(builder->image, i)]
						  .wanted
					  ? PLAN_INSTRUMENTED
					  : PLAN_NOT_WANTED,
		};
		plan->part_count += plan_is_cold_part(row_of(lazy, i));
	}
}

static void list_parts(struct lazy *lazy)
{
	const uint32_t count = (uint32_t)lazy->builder.plan->functions.count;

	lazy->first_part = memory_allocate((count + 1) * sizeof(uint32_t));
	lazy->next_part = memory_allocate((count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		lazy->first_part[i] = lazy->next_part[i] = NO_PART;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t owner = row_of(lazy, i)->part_of;

		if (owner == i)
			continue;
		lazy->next_part[i] = lazy->first_part[owner];
		lazy->first_part[owner] = i;
	}
}

/* Drops latches' patches of functions that were planned at once after all. */
static void drop_idle_patches(const struct lazy *lazy, size_t latches)
{
	struct plan_patches *patches = &lazy->builder.plan->patches;
	size_t kept = 0;

	for (size_t i = 0; i < patches->count; i++)
		if (i >= latches || !is_settled(lazy, patches->items[i].function))
			patches->items[kept++] = patches->items[i];
	patches->count = kept;
}

/* Pages that differ between processes (with words of addresses) are not written later. */
static void end_page(struct plan *plan)
{
	while (plan->code.count % PAGE)
		vector_push(&plan->code, 0xcc);
}

/* Latches first, on pages of their own; then what cannot wait. The first and the last
 * function do not, so that the first and the last patch stay what they are. Those with a
 * call among their first instructions hold its return address, which differs between
 * processes: they lie side by side, so that few pages do. */
static void write_first(struct lazy *lazy)
{
	struct plan_builder *builder = &lazy->builder;
	struct plan *plan = builder->plan;
	const uint32_t count = (uint32_t)plan->functions.count;
	struct VECTOR(uint32_t) with_call = {0};

	for (uint32_t i = 0; i < count; i++) {
		bool outmost = !i || i + 1 == count;

		if (plan_is_cold_part(row_of(lazy, i)) ||
		    (!outmost && may_wait(builder, i) && write_latch(builder, i)))
			continue;
		if (builder->choices[i].call_end)
			vector_push(&with_call, i);
		else
			vector_push(&lazy->wanted, i);
	}
	/* The last of these are the first that are planned. */
	vector_for_each (&with_call, index)
		vector_push(&lazy->wanted, *index);
	vector_deinit(&with_call);
	end_page(plan);
	plan->latches_size = (uint32_t)plan->code.count;

	const size_t latches = plan->patches.count;

	plan_wanted(lazy, NULL);
	drop_idle_patches(lazy, latches);
}

struct trm_error *lazy_create(const struct plan_request *request, struct plan **ret_plan,
			      struct lazy **ret_lazy)
{
	struct lazy *lazy = memory_allocate_zeroed(1, sizeof(*lazy));
	struct plan_builder *builder = &lazy->builder;

	lazy->request = *request;
	lazy->request.frequencies = NULL;
	struct trm_error *error = builder_begin(builder, &lazy->request);

	if (error) {
		free(lazy);
		return error;
	}
	/* Cloned ones would hold addresses. */
	builder->current.cfg.keeps_labels = builder->image->type == IMAGE_DYNAMIC;
	builder->entries.latched =
		memory_allocate_zeroed(builder->image->functions.count + 1, sizeof(bool));
	lazy->read =
		memory_allocate_zeroed(builder->image->functions.count + 1, sizeof(bool));
	begin_rows(lazy);
	list_parts(lazy);
	write_first(lazy);
	builder_finish(builder);
	call_stubs_list_entrances(builder);
	call_stubs_lead(builder);
	builder->out.jumps.count = builder->out.islands.count = 0;
	end_page(builder->plan);
	*ret_plan = builder->plan;
	*ret_lazy = lazy;
	return NULL;
}

/* The new patches, but for the jump at the entry, which leads to the latch and stays. */
static void take_patches(struct lazy *lazy, size_t first, struct plan_patches *ret_news)
{
	struct plan_builder *builder = &lazy->builder;
	struct plan_patches *all = &builder->plan->patches;
	const size_t end = all->count;

	all->count = first;
	for (size_t i = first; i < end; i++) {
		const struct plan_patch *patch = &all->items[i], *known;

		known = plan_patch_behind(builder->plan, patch->address);
		if (!known || known->address != patch->address)
			vector_push(ret_news, *patch);
	}
	vector_for_each (&builder->out.islands, patch)
		vector_push(ret_news, *patch);
	builder->out.islands.count = 0;
}

/* Adds patches to plan.late: few, so that the earlier patches need not be moved each
 * time. */
static void add_late(struct plan *plan, const struct plan_patches *news)
{
	vector_for_each (news, patch)
		vector_push(&plan->late, *patch);
	if (plan->late.count > LATE_MAX)
		builder_merge_patches(&plan->patches, &plan->late);
}

bool lazy_extend(struct lazy *lazy, uint32_t function, const struct lazy_limits *limits,
		 struct lazy_news *ret_news)
{
	struct plan_builder *builder = &lazy->builder;
	struct plan *plan = builder->plan;
	const size_t patches = plan->patches.count;
	bool good;

	*ret_news = (struct lazy_news){
		.first_place = plan->placed,
		.first_code = (uint32_t)plan->code.count,
		.first_map_row = (uint32_t)plan->map_rows.count,
		.first_fixup = (uint32_t)plan->fixups.count,
	};
	want_function(lazy, function);
	good = plan_wanted(lazy, limits);
	ret_news->end_place = plan->placed;
	call_stubs_lead(builder);
	builder->out.jumps.count = builder->out.cached.count = 0;
	take_patches(lazy, patches, &ret_news->patches);
	add_late(plan, &ret_news->patches);
	return good;
}

void lazy_give_up(struct lazy *lazy, const struct lazy_news *news)
{
	for (uint32_t place = news->first_place; place < news->end_place; place++) {
		uint32_t index = row_of(lazy, place)->by_code;
		struct plan_function *row = row_of(lazy, index);

		if (row->reason == PLAN_INSTRUMENTED)
			row->reason = PLAN_NO_SPACE;
		call_stubs_note_entrance(&lazy->builder, index);
	}
}

uint32_t lazy_function_at(const struct plan *plan, uint32_t code_offset)
{
	const struct plan_latch *latch = plan_latch_at(plan, code_offset);

	return latch ? latch->function : PLAN_NO_FUNCTION;
}

bool lazy_jump(const struct plan *plan, uint32_t function, uint32_t *ret_offset,
	       uint64_t *ret_word)
{
	const struct plan_function *row = &plan->functions.items[function];
	const struct plan_latch *found = plan_latch_of(plan, function);

	if (!found)
		return false;
	uint32_t latch = found->code;
	uint32_t to = row->reason == PLAN_INSTRUMENTED ? row->trampoline
						       : latch + TRAMPOLINE_LATCH_BODY;
	int32_t distance = (int32_t)(to - latch - BUILDER_JUMP);
	uint8_t bytes[8];

	memcpy(bytes, plan->code.items + latch, sizeof(bytes));
	bytes[0] = 0xe9;
	memcpy(bytes + 1, &distance, sizeof(distance));
	memcpy(ret_word, bytes, sizeof(*ret_word));
	*ret_offset = latch;
	return true;
}

void lazy_destroy(struct lazy *lazy)
{
	if (!lazy)
		return;
	free(lazy->builder.entries.entrances);
	free(lazy->builder.entries.latched);
	builder_end(&lazy->builder);
	free(lazy->read);
	free(lazy->first_part);
	free(lazy->next_part);
	vector_deinit(&lazy->wanted);
	free(lazy);
}
