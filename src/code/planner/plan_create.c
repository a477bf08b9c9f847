#include "code/planner/plan_create.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "code/builder/beyond.h"
#include "code/builder/plan_builder.h"
#include "code/calls/call_stubs.h"
#include "code/calls/gates.h"
#include "code/calls/spans.h"
#include "code/plan/plan.h"
#include "code/plan/request.h"
#include "code/planner/batches.h"
#include "code/planner/flag_calls.h"
#include "code/planner/signal_returns.h"
#include "code/planner/write_row.h"
#include "code/points/points.h"
#include "code/relocate/inline_cache.h"
#include "code/scan/cold_parts.h"
#include "code/scan/gs.h"
#include "code/scan/ra_readers.h"
#include "image/demangle.h"
#include "image/find.h"

#include <string.h>

enum { TRAMPOLINE_ALIGNMENT = 16, JUMP = BUILDER_JUMP };

/* The answer of plan_request.wanted or is_span. */
static bool is_asked_for(const struct plan_builder *builder,
			 bool (*ask)(void *context, const char *name, uint64_t address),
			 const struct image_function *function, const char *name)
{
	scoped_free char *demangled = NULL;

	if (!ask)
		return true;
	if (function->name)
		demangled = image_demangle(name);
	return ask(builder->request->context, demangled ? demangled : name,
		   function->address);
}

/* Whether a function may have points, or something else is asked of it. */
static bool may_have_points(const struct plan_builder *builder,
			    const struct image_function *function, const char *name)
{
	const struct point_sources *sources = builder->request->points;
	scoped_free char *demangled = NULL;

	if (!sources || builder->request->depth != PLAN_POINTS)
		return true;
	if (function->name)
		demangled = image_demangle(name);
	for (uint32_t i = 0; i < sources->count; i++) {
		const struct point_source *source = sources->items[i];

		if (!source->wants ||
		    source->wants(source->context, builder->image,
				  demangled ? demangled : name, function->address))
			return true;
	}
	return false;
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
static void choose_parts(struct plan_builder *builder)
{
	for (uint32_t i = 0; i < builder->image->functions.count; i++) {
		const struct image_function *function =
			&builder->image->functions.items[i];
		uint32_t owner = cold_parts_owner(builder->image, i);

		if (owner != i)
			builder->choices[i].wanted =
				builder->choices[owner].wanted &&
				!builder->choices[owner].hook &&
				!ranges_meet(builder->image->checked.items,
					     builder->image->checked.count,
					     function->address,
					     function->address + function->size);
	}
}

/* If code that probably sets GS cannot be hooked, the module counts as one that sets it.
 */
static void check_doubts(struct plan_builder *builder)
{
	vector_for_each (&builder->scan.doubts, doubt) {
		size_t index = image_function_at(builder->image, doubt->address);

		if (doubt->verdict == GS_PERHAPS && builder->request->hook_gs &&
		    index < builder->image->functions.count &&
		    builder->choices[index].reason)
			builder->plan->uses_gs = true;
	}
}

static void choose_functions(struct plan_builder *builder)
{
	const struct plan_request *request = builder->request;
	size_t count = builder->image->functions.count;

	builder->choices = memory_allocate_zeroed(count, sizeof(*builder->choices));
	for (size_t i = 0; i < count; i++) {
		const struct image_function *function =
			&builder->image->functions.items[i];
		struct entry_patch *choice = &builder->choices[i];
		const char *name = builder->image->names.items + function->name;
		char unnamed[UNNAMED_MAX];

		/* A module that sets GS is not measured. */
		if (function->flags & IMAGE_FUNCTION_COLD_PART || builder->scan.uses_gs)
			continue;
		if (!function->name)
			name = name_unnamed(function->address, unnamed);
		choice->wanted = is_asked_for(builder, request->wanted, function, name) &&
				 may_have_points(builder, function, name);
		choice->span = request->spans && choice->wanted &&
			       is_asked_for(builder, request->is_span, function, name);
		choice->hook = hook_of(request, function, name);
		if (!choice->hook)
			choice->hook = gs_hook(&builder->scan, request, function);
		if (!choice->hook)
			choice->hook = builder_ra_hook(builder, (uint32_t)i);
	}
	choose_parts(builder);
	if (request->spans)
		spans_choose(builder);
	entry_patches_choose(&builder->scan, builder->image, request, &builder->padding,
			     builder->choices);
	check_doubts(builder);
}

/* Calls of which functions have counters in front of them: what does not take flags, and
 * has no hook. Of some it turns out later that they cannot be instrumented. */
static void choose_counted(struct plan_builder *builder)
{
	const struct plan_request *request = builder->request;
	size_t count = builder->image->functions.count;

	builder->calls = (struct whole_calls){
		&builder->scan.map, builder->returns.readers, builder->image, NULL};
	if (!builder->returns.copy_calls || !request->calls)
		return;
	builder->calls.counted = memory_allocate_zeroed(count, sizeof(bool));
	for (size_t i = 0; i < count; i++) {
		const struct entry_patch *choice = &builder->choices[i];

		builder->calls.counted[i] =
			choice->wanted && !choice->hook && !choice->keep_flags &&
			builder_can_relocate(choice->reason) &&
			!(builder->image->functions.items[i].flags & IMAGE_FUNCTION_GO);
	}
}

/* In call graphs what jumps to a function must know. */
static void note_flags(struct plan_builder *builder)
{
	const size_t count = builder->image->functions.count;

	if (!builder->request->graph)
		return;
	if (!builder->flags.taken)
		builder->flags.taken = memory_allocate_zeroed(count, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		builder->flags.taken[i] = builder->choices[i].keep_flags;
}

void builder_reserve_points(struct plan_builder *builder)
{
	const struct point_sources *sources = builder->request->points;
	struct plan_points *points = &builder->plan->points;

	points->troubles.count = points->module.count = points->count = 0;
	for (uint32_t i = 0; sources && i < sources->count; i++) {
		const struct point_source *source = sources->items[i];

		vector_push(&points->module,
			    ((struct plan_point_slots){
				    .function = PLAN_NO_FUNCTION,
				    .first_slot = builder->plan->slot_count,
				    .slot_count = source->module_slots,
				    .first_max = source->module_first_max
							 ? source->module_first_max
							 : source->module_slots,
				    .source = i,
			    }));
		builder->plan->slot_count += source->module_slots;
	}
}

void builder_restart(struct plan_builder *builder)
{
	const struct builder_mark start = {0};
	const size_t count = builder->image->functions.count;
	struct plan *plan = builder->plan;

	builder_undo(builder, &start);
	vector_reserve(&plan->functions, count);
	plan->functions.count = count;
	if (count)
		memset(plan->functions.items, 0, count * sizeof(*plan->functions.items));
	plan->slot_count = plan->part_count = 0;
	builder->out.cold_count = 0;
	gates_reserve(builder);
	builder_reserve_points(builder);
	note_flags(builder);
}

/* Once more if functions turned out to return flags. */
static void write_all(struct plan_builder *builder)
{
	const uint32_t count = (uint32_t)builder->image->functions.count;

	do {
		builder->flags.found = false;
		builder_restart(builder);
		if (!batches_write(builder))
			builder_write(builder, 0, count);
	} while (builder->flags.found);
}

/* Places counters of code that never ran behind all others: then those in use share few
 * cache lines and pages. */
static void place_cold_slots(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;
	uint32_t by = BUILDER_COLD - plan->slot_count;

	plan->cold_slot = plan->slot_count;
	plan->slot_count += builder->out.cold_count;
	vector_for_each (&plan->functions, row) {
		row->cold_slots -= by;
		if (row->slot >= BUILDER_COLD)
			row->slot -= by;
	}
	vector_for_each (&plan->blocks, row)
		if (row->slot >= BUILDER_COLD && row->slot != PLAN_NO_SLOT)
			row->slot -= by;
	vector_for_each (&plan->edges, row)
		if (row->slot >= BUILDER_COLD && row->slot != PLAN_NO_SLOT)
			row->slot -= by;
	vector_for_each (&plan->fixups, fixup) {
		uint8_t *place = plan->code.items + fixup->offset;
		uint32_t displacement;

		memcpy(&displacement, place, sizeof(displacement));
		if (fixup->kind != PLAN_FIXUP_SLOT ||
		    displacement < BUILDER_COLD * plan->slot_size)
			continue;
		displacement -= by * plan->slot_size;
		memcpy(place, &displacement, sizeof(displacement));
	}
}

static void write_bridges(struct plan_builder *builder)
{
	vector_for_each (&builder->padding.bridges, bridge) {
		struct plan_patch *patch = builder_add_patch(
			&builder->out.islands, bridge->address, bridge->function, 2);

		patch->bytes[0] = 0xeb;
		patch->bytes[1] = bridge->length;
	}
}

COMPARE_BY(by_address, struct plan_patch, address);

/* Sorts patches, unless functions were written in the order of their addresses. */
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
void builder_merge_patches(struct plan_patches *all, struct plan_patches *others)
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
static void merge_patches(struct plan_builder *builder)
{
	sort_patches(&builder->plan->patches);
	builder_merge_patches(&builder->plan->patches, &builder->out.islands);
}

/* Parts without functions are wanted if all functions are: they have no names of
 * functions. */
static void write_left(struct plan_builder *builder)
{
	vector_for_each (&builder->left, part) {
		uint32_t owner = part->owner ? (uint32_t)image_function_at(builder->image,
									   part->owner)
					     : PLAN_NO_FUNCTION;

		if (part->owner ? builder->choices[owner].wanted
				: !builder->request->wanted)
			vector_push(
				&builder->plan->left,
				((struct plan_left){.address = part->address,
						    .function = owner,
						    .name = part->name,
						    .reason = PLAN_COLD_PART_UNREAD +
							      (uint32_t)part->reason}));
	}
}

/* Takes the rest of the padding behind functions, for jumps at their ends: see
 * code/unpatch/unpatch.h. */
static void take_spare(struct plan_builder *builder)
{
	enum { MOST = BUILDER_JUMP - 1 };

	for (uint32_t i = 0;
	     builder->current.whole.flags && i < builder->plan->functions.count; i++) {
		struct plan_function *row = &builder->plan->functions.items[i];

		for (uint8_t size = MOST; row->map_row_count && size && !row->spare;
		     size--)
			if (padding_extend(&builder->padding, i, size))
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

struct trm_error *builder_begin(struct plan_builder *builder,
				const struct plan_request *request)
{
	if (!request->image)
		return trm_error_create(TRM_ERROR_USAGE, "a plan needs an image");
	if (request->probe != PLAN_PROBE_COUNT && request->probe != PLAN_PROBE_FLAG)
		return trm_error_create(TRM_ERROR_USAGE, "unknown kind of probe %d",
					(int)request->probe);
	builder->request = request;
	builder->image = request->image;
	builder->plan = memory_allocate_zeroed(1, sizeof(*builder->plan));
	builder->plan->code_address = request->code_address;
	builder->current.whole.flags = request->probe == PLAN_PROBE_FLAG;
	builder->current.whole.live = request->live;
	builder->plan->slot_size = request->probe == PLAN_PROBE_FLAG ? 1 : 8;
	scan_init(&builder->scan, request->image, request->depth != PLAN_ENTRIES);
	if (request->depth >= PLAN_POINTS)
		cold_parts_add(&builder->scan, request->image, &builder->left);
	builder->plan->uses_gs = builder->scan.uses_gs;
	beyond_find_readers(builder);
	builder->returns.copy_calls =
		request->copy_calls &&
		!ra_readers_have_unwinder(builder->image, builder->returns.readers);
	padding_init(&builder->padding, &builder->scan, builder->image);
	choose_functions(builder);
	choose_counted(builder);
	if (builder_relocates(builder))
		flag_calls_find(builder);
	return NULL;
}

void builder_finish(struct plan_builder *builder)
{
	write_left(builder);
	signal_returns_write(builder);
	gates_write(builder);
	write_bridges(builder);
	take_spare(builder);
	merge_patches(builder);
	copy_names(builder->plan, builder->image);
}

void builder_end(struct plan_builder *builder)
{
	free(builder->choices);
	free(builder->entries.dead_rax);
	free(builder->entries.names);
	free(builder->returns.readers);
	free(builder->returns.uses);
	free(builder->returns.named);
	free(builder->calls.counted);
	padding_deinit(&builder->padding);
	vector_deinit(&builder->out.islands);
	vector_deinit(&builder->out.jumps);
	vector_deinit(&builder->out.cached);
	cfg_deinit(&builder->current.cfg);
	paths_deinit(&builder->current.paths);
	live_registers_deinit(&builder->current.live);
	whole_deinit(&builder->current.whole);
	block_sums_deinit(&builder->current.sums);
	point_places_deinit(&builder->current.points);
	free(builder->flags.returned);
	free(builder->flags.taken);
	scan_deinit(&builder->scan);
	vector_deinit(&builder->left);
	cold_parts_remove(builder->request->image);
}

struct trm_error *plan_create(const struct plan_request *request, struct plan **ret_plan)
{
	struct plan_builder builder = {0};

	TRM_TRY(builder_begin(&builder, request));
	write_all(&builder);
	builder_finish(&builder);
	call_stubs_retarget(&builder);
	inline_cache_place(builder.plan, &builder.out.cached);
	place_cold_slots(&builder);
	*ret_plan = builder.plan;
	builder_end(&builder);
	return NULL;
}
