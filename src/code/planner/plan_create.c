#include "code/planner/plan_create.h"

#include "base/cleanup.h"
#include "code/builder/beyond.h"
#include "code/builder/plan_builder.h"
#include "code/calls/call_stubs.h"
#include "code/calls/gates.h"
#include "code/calls/spans.h"
#include "code/count/frequencies.h"
#include "code/entry/trampoline.h"
#include "code/plan/plan.h"
#include "code/plan/request.h"
#include "code/planner/batches.h"
#include "code/planner/flag_calls.h"
#include "code/planner/signal_returns.h"
#include "code/planner/write_row.h"
#include "code/relocate/inline_cache.h"
#include "code/scan/cold_parts.h"
#include "code/scan/entry_call.h"
#include "code/scan/gs.h"
#include "code/scan/ra_readers.h"
#include "x86/decode.h"

#include <string.h>

enum { TRAMPOLINE_ALIGNMENT = 16, JUMP = MAKING_JUMP };

/* What plan_request.wanted says, or is_span. */
static bool asked(const struct making *making,
		  bool (*ask)(void *context, const char *name, uint64_t address),
		  const struct image_function *function, const char *name)
{
	scoped_free char *demangled = NULL;

	if (!ask)
		return true;
	if (function->name)
		demangled = image_demangle(name);
	return ask(making->request->context, demangled ? demangled : name,
		   function->address);
}

/* Hooks need more stack than goroutines may have left. */
static uint8_t hook_of(const struct plan_request *request,
		       const struct image_function *function, const char *name)
{
	if (!request->hook_of || function->flags & IMAGE_FUNCTION_GO)
		return 0;
	return request->hook_of(request->context, name, function->address);
}

enum { UNNAMED_MAX = 24 };

/* "sub_" and the address in hexadecimal digits: snprintf takes as long as all else here.
 */
static const char *name_unnamed(uint64_t address, char text[UNNAMED_MAX])
{
	char *at = text + UNNAMED_MAX;

	*--at = '\0';
	do
		*--at = "0123456789abcdef"[address & 15];
	while (address >>= 4);
	return memcpy(at - 4, "sub_", 4);
}

/* Parts are wanted if their functions are. Those that are counted at their entries alone
 * have no blocks. */
static void choose_parts(struct making *making)
{
	for (uint32_t i = 0; i < making->image->functions.count; i++) {
		const struct image_function *function =
			&making->image->functions.items[i];
		uint32_t owner = parts_owner(making->image, i);

		if (owner != i)
			making->choices[i].wanted =
				making->choices[owner].wanted &&
				!making->choices[owner].hook &&
				!ranges_meet(making->image->checked.items,
					     making->image->checked.count,
					     function->address,
					     function->address + function->size);
	}
}

/* Where what likely sets GS could not be watched, the module passes as one that does. */
static void check_doubts(struct making *making)
{
	vector_for_each (&making->scan.doubts, doubt) {
		size_t index = image_function_at(making->image, doubt->address);

		if (doubt->verdict == GS_PERHAPS && making->request->hook_gs &&
		    index < making->image->functions.count &&
		    making->choices[index].reason)
			making->plan->uses_gs = true;
	}
}

static void choose_functions(struct making *making)
{
	const struct plan_request *request = making->request;
	size_t count = making->image->functions.count;

	making->choices = memory_allocate_zeroed(count, sizeof(*making->choices));
	for (size_t i = 0; i < count; i++) {
		const struct image_function *function =
			&making->image->functions.items[i];
		struct place_choice *choice = &making->choices[i];
		const char *name = making->image->names.items + function->name;
		char unnamed[UNNAMED_MAX];

		/* A module that sets GS is measured by nobody. */
		if (function->flags & IMAGE_FUNCTION_PART || making->scan.uses_gs)
			continue;
		if (!function->name)
			name = name_unnamed(function->address, unnamed);
		choice->wanted = asked(making, request->wanted, function, name);
		choice->span = request->spans && choice->wanted &&
			       asked(making, request->is_span, function, name);
		choice->hook = hook_of(request, function, name);
		if (!choice->hook)
			choice->hook = gs_hook(&making->scan, request, function);
		if (!choice->hook)
			choice->hook = making_reader_hook(making, (uint32_t)i);
	}
	choose_parts(making);
	if (request->spans)
		spans_choose(making);
	place_functions(&making->scan, making->image, request, &making->padding,
			making->choices);
	check_doubts(making);
}

/* Calls of which functions have counters in front of them: what does not take flags, and
 * has no hook. Of some it turns out later that they cannot be instrumented. */
static void choose_counted(struct making *making)
{
	const struct plan_request *request = making->request;
	size_t count = making->image->functions.count;

	making->calls = (struct whole_calls){&making->scan.map, making->readers,
					     making->image, NULL};
	if (!making->copy_calls || !request->calls)
		return;
	making->calls.counted = memory_allocate_zeroed(count, sizeof(bool));
	for (size_t i = 0; i < count; i++) {
		const struct place_choice *choice = &making->choices[i];

		making->calls.counted[i] =
			choice->wanted && !choice->hook && !choice->keep_flags &&
			making_can_relocate(choice->reason) &&
			!(making->image->functions.items[i].flags & IMAGE_FUNCTION_GO);
	}
}

/* In call graphs what jumps to a function must know. */
static void note_flags(struct making *making)
{
	const size_t count = making->image->functions.count;

	if (!making->request->graph)
		return;
	if (!making->takes_flags)
		making->takes_flags = memory_allocate_zeroed(count, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		making->takes_flags[i] = making->choices[i].keep_flags;
}

void making_restart(struct making *making)
{
	const struct making_mark start = {0};
	const size_t count = making->image->functions.count;
	struct plan *plan = making->plan;

	making_undo(making, &start);
	vector_reserve(&plan->functions, count);
	plan->functions.count = count;
	if (count)
		memset(plan->functions.items, 0, count * sizeof(*plan->functions.items));
	plan->slot_count = plan->part_count = 0;
	making->cold_count = 0;
	gates_reserve(making);
	note_flags(making);
}

/* Once more if functions turned out to return flags. */
static void write_all(struct making *making)
{
	const uint32_t count = (uint32_t)making->image->functions.count;

	do {
		making->flags_found = false;
		making_restart(making);
		if (!batches_write(making))
			making_write(making, 0, count);
	} while (making->flags_found);
}

/* Counters of what never ran get their places behind all others: then those that run lie
 * in few lines and pages. */
static void place_cold_slots(struct making *making)
{
	struct plan *plan = making->plan;
	uint32_t by = MAKING_COLD - plan->slot_count;

	plan->cold_slot = plan->slot_count;
	plan->slot_count += making->cold_count;
	vector_for_each (&plan->functions, row) {
		row->cold_slots -= by;
		if (row->slot >= MAKING_COLD)
			row->slot -= by;
	}
	vector_for_each (&plan->blocks, row)
		if (row->slot >= MAKING_COLD && row->slot != PLAN_NO_SLOT)
			row->slot -= by;
	vector_for_each (&plan->edges, row)
		if (row->slot >= MAKING_COLD && row->slot != PLAN_NO_SLOT)
			row->slot -= by;
	vector_for_each (&plan->fixups, fixup) {
		uint8_t *place = plan->code.items + fixup->offset;
		uint32_t displacement;

		memcpy(&displacement, place, sizeof(displacement));
		if (fixup->kind != PLAN_FIXUP_SLOT ||
		    displacement < MAKING_COLD * plan->slot_size)
			continue;
		displacement -= by * plan->slot_size;
		memcpy(place, &displacement, sizeof(displacement));
	}
}

static void write_bridges(struct making *making)
{
	vector_for_each (&making->padding.bridges, bridge) {
		struct plan_patch *patch = making_add_patch(
			&making->islands, bridge->address, bridge->function, 2);

		patch->bytes[0] = 0xeb;
		patch->bytes[1] = bridge->length;
	}
}

static int by_address(const void *left, const void *right)
{
	const struct plan_patch *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* They are, unless functions were written in another order than that of their addresses.
 */
static void sort_patches(struct plan_patches *patches)
{
	size_t sorted = 1;

	while (sorted < patches->count &&
	       patches->items[sorted - 1].address < patches->items[sorted].address)
		sorted++;
	if (sorted < patches->count)
		qsort(patches->items, patches->count, sizeof(*patches->items),
		      by_address);
}

/* From the back, as both are sorted by then. */
void making_merge_patches(struct plan_patches *all, struct plan_patches *others)
{
	size_t old = all->count, more = others->count, at = old + more;

	if (!more)
		return;
	qsort(others->items, more, sizeof(*others->items), by_address);
	vector_reserve(all, at);
	all->count = at;
	while (more) {
		if (old && all->items[old - 1].address > others->items[more - 1].address)
			all->items[--at] = all->items[--old];
		else
			all->items[--at] = others->items[--more];
	}
	others->count = 0;
}

/* Sorts islands and rewritten branches in among the entries' patches. */
static void merge_patches(struct making *making)
{
	sort_patches(&making->plan->patches);
	making_merge_patches(&making->plan->patches, &making->islands);
}

/* Parts without functions are wanted if all are: their names are not those of functions.
 */
static void write_left(struct making *making)
{
	vector_for_each (&making->left, part) {
		uint32_t owner = part->owner ? (uint32_t)image_function_at(making->image,
									   part->owner)
					     : PLAN_NO_FUNCTION;

		if (part->owner ? making->choices[owner].wanted
				: !making->request->wanted)
			vector_push(
				&making->plan->left,
				((struct plan_left){.address = part->address,
						    .function = owner,
						    .name = part->name,
						    .reason = PLAN_PART_UNREAD +
							      (uint32_t)part->reason}));
	}
}

/* What is left of the padding behind functions, for jumps at their ends: see
 * code/unpatch/unpatch.h. */
static void take_spare(struct making *making)
{
	enum { MOST = MAKING_JUMP - 1 };

	for (uint32_t i = 0; making->whole.flags && i < making->plan->functions.count;
	     i++) {
		struct plan_function *row = &making->plan->functions.items[i];

		for (uint8_t size = MOST; row->step_count && size && !row->spare; size--)
			if (padding_extend(&making->padding, i, size))
				row->spare = size;
	}
}

static void copy_names(struct plan *plan, const struct image *image)
{
	if (!image->names.count)
		return;
	vector_reserve(&plan->names, image->names.count);
	memcpy(plan->names.items, image->names.items, image->names.count);
	plan->names.count = image->names.count;
}

struct trm_error *making_begin(struct making *making, const struct plan_request *request)
{
	if (!request->image)
		return trm_error_create(TRM_ERROR_USAGE, "a plan needs an image");
	if (request->probe != PLAN_PROBE_COUNT && request->probe != PLAN_PROBE_FLAG)
		return trm_error_create(TRM_ERROR_USAGE, "unknown kind of probe %d",
					(int)request->probe);
	making->request = request;
	making->image = request->image;
	making->plan = memory_allocate_zeroed(1, sizeof(*making->plan));
	making->plan->code_address = request->code_address;
	making->whole.flags = request->probe == PLAN_PROBE_FLAG;
	making->whole.live = request->live;
	making->plan->slot_size = request->probe == PLAN_PROBE_FLAG ? 1 : 8;
	scan_init(&making->scan, request->image, request->depth != PLAN_ENTRIES);
	if (request->depth >= PLAN_BLOCKS)
		parts_add(&making->scan, request->image, &making->left);
	making->plan->uses_gs = making->scan.uses_gs;
	beyond_find_readers(making);
	making->copy_calls = request->copy_calls &&
			     !readers_have_unwinder(making->image, making->readers);
	padding_init(&making->padding, &making->scan, making->image);
	choose_functions(making);
	choose_counted(making);
	if (making_relocates(making))
		flag_calls_find(making);
	return NULL;
}

void making_finish(struct making *making)
{
	write_left(making);
	returns_write(making);
	gates_write(making);
	write_bridges(making);
	take_spare(making);
	merge_patches(making);
	copy_names(making->plan, making->image);
}

void making_end(struct making *making)
{
	free(making->choices);
	free(making->dead);
	free(making->names);
	free(making->readers);
	free(making->uses);
	free(making->calls.counted);
	padding_deinit(&making->padding);
	vector_deinit(&making->islands);
	vector_deinit(&making->jumps);
	vector_deinit(&making->cached);
	cfg_deinit(&making->cfg);
	whole_deinit(&making->whole);
	sums_deinit(&making->sums);
	free(making->returns_flags);
	free(making->takes_flags);
	scan_deinit(&making->scan);
	vector_deinit(&making->left);
	parts_remove(making->request->image);
}

struct trm_error *plan_create(const struct plan_request *request, struct plan **ret_plan)
{
	struct making making = {0};

	TRM_TRY(making_begin(&making, request));
	write_all(&making);
	making_finish(&making);
	calls_retarget(&making);
	inline_place(making.plan, &making.cached);
	place_cold_slots(&making);
	*ret_plan = making.plan;
	making_end(&making);
	return NULL;
}
