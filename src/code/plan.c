#include "code/plan.h"

#include "base/cleanup.h"
#include "code/batches.h"
#include "code/beyond.h"
#include "code/calls.h"
#include "code/decode.h"
#include "code/entry_call.h"
#include "code/flag_calls.h"
#include "code/frequencies.h"
#include "code/gates.h"
#include "code/gs.h"
#include "code/inline_cache.h"
#include "code/making.h"
#include "code/parts.h"
#include "code/readers.h"
#include "code/spans.h"
#include "code/trampoline.h"

#include <string.h>

enum { TRAMPOLINE_ALIGNMENT = 16, JUMP = MAKING_JUMP };

struct making_mark making_mark(const struct making *making)
{
	const struct plan *plan = making->plan;

	return (struct making_mark){
		.code = plan->code.count,
		.fixups = plan->fixups.count,
		.jumps = making->jumps.count,
		.cached = making->cached.count,
		.shifts = making->shifts ? making->shifts->count : 0,
		.patches = plan->patches.count,
		.islands = making->islands.count,
		.blocks = plan->blocks.count,
		.terms = plan->terms.count,
		.edges = plan->edges.count,
		.crossings = plan->crossings.count,
		.steps = plan->steps.count,
		.stubs = plan->stubs.count,
	};
}

void making_undo(struct making *making, const struct making_mark *mark)
{
	struct plan *plan = making->plan;

	plan->code.count = mark->code;
	plan->fixups.count = mark->fixups;
	making->jumps.count = mark->jumps;
	making->cached.count = mark->cached;
	if (making->shifts)
		making->shifts->count = mark->shifts;
	plan->patches.count = mark->patches;
	making->islands.count = mark->islands;
	plan->blocks.count = mark->blocks;
	plan->terms.count = mark->terms;
	plan->edges.count = mark->edges;
	plan->crossings.count = mark->crossings;
	plan->steps.count = mark->steps;
	plan->stubs.count = mark->stubs;
}

struct emitter making_emitter(struct making *making)
{
	struct plan *plan = making->plan;

	return (struct emitter){.address = plan->code_address,
				.code = plan->code.items,
				.count = plan->code.count,
				.capacity = plan->code.capacity,
				.plan = plan,
				.jumps = &making->jumps,
				.cached = &making->cached,
				.shifts = making->shifts,
				.own = making->own};
}

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

/* Whether functions are relocated whole. To count calls that is of use only if they are
 * made in relocated code. */
static bool relocates(const struct making *making)
{
	const struct plan_request *request = making->request;

	return request->depth >= PLAN_BLOCKS ||
	       (request->depth == PLAN_CALLS &&
		(request->graph || request->spans || making->copy_calls));
}

uint8_t making_reader_hook(const struct making *making, uint32_t index)
{
	const struct plan_request *request = making->request;

	if (request->hook_beyond && relocates(making) && beyond_needs_hook(making, index))
		return request->hook_beyond;
	if (!request->copy_calls || !making->readers[index])
		return 0;
	return making->readers[index] == READER_OWN ? request->hook_own
						    : request->hook_stack;
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

struct plan_patch *making_add_patch(struct plan_patches *patches, uint64_t address,
				    uint32_t function, uint8_t size)
{
	struct plan_patch *patch = vector_add(patches);

	patch->address = address;
	patch->function = function;
	patch->size = size;
	return patch;
}

bool making_patch_jump(struct plan_patch *patch, size_t offset, uint64_t target)
{
	int64_t distance = (int64_t)(target - (patch->address + offset + JUMP));
	int32_t wide = (int32_t)distance;

	patch->bytes[offset] = 0xe9;
	memcpy(patch->bytes + offset + 1, &wide, sizeof(wide));
	return distance == wide;
}

/* The displacement of a branch back to the entry. */
static bool rewrite_branch(struct making *making, const struct scan_branch *branch,
			   uint64_t target)
{
	uint64_t end = branch->address + branch->length;
	struct plan_patch *patch = making_add_patch(&making->islands, end - branch->width,
						    branch->function, branch->width);
	int64_t distance = (int64_t)(target - end);
	int32_t wide = (int32_t)distance;

	memcpy(patch->bytes, &wide, branch->width);
	return branch->width == 1 ? distance == (int8_t)distance : distance == wide;
}

/* Makes the patch the displacement of a call that ends at `end`; false if it does not
 * reach. */
static bool patch_call(struct plan_patch *patch, uint64_t end, uint64_t target)
{
	int64_t distance = (int64_t)(target - end);
	int32_t wide = (int32_t)distance;

	patch->address = end - PLACE_DISPLACEMENT;
	memcpy(patch->bytes, &wide, PLACE_DISPLACEMENT);
	return distance == wide;
}

/* All patches of a function; false if a jump does not reach. */
static bool add_patches(struct making *making, uint32_t index, uint64_t trampoline,
			uint64_t start)
{
	const struct image_function *function = &making->image->functions.items[index];
	const struct place_choice *choice = &making->choices[index];
	const struct scan *scan = &making->scan;
	uint64_t entry = function->address + (scan->traits[index] & SCAN_MARKED ? 4 : 0);
	struct plan_patch *patch =
		making_add_patch(&making->plan->patches, entry, index, choice->size);
	bool reached = true;

	if (choice->call_end)
		return patch_call(patch, function->address + choice->call_end,
				  trampoline);
	if (choice->island) {
		patch->bytes[0] = 0xeb;
		patch->bytes[1] = (uint8_t)(choice->island - entry - 2);
		patch = making_add_patch(&making->islands, choice->island, index, JUMP);
	}
	reached &= making_patch_jump(patch, 0, trampoline);
	if (choice->loop_island)
		patch = making_add_patch(&making->islands, choice->loop, index, JUMP);
	if (choice->loop)
		reached &=
			making_patch_jump(patch, choice->loop_island ? 0 : JUMP, start);
	if (!(scan->traits[index] & SCAN_INNER))
		return reached;
	for (const struct scan_branch *branch = scan_inner_of(scan, index);
	     branch < scan->inner.items + scan->inner.count && branch->function == index;
	     branch++)
		if (place_is_rewritten(branch, function->address, choice))
			reached &=
				rewrite_branch(making, branch,
					       branch->width == 1 ? choice->loop : start);
	return reached;
}

static enum probe_form probe_of(const struct making *making,
				const struct place_choice *choice)
{
	if (!choice->wanted ||
	    (making->plan->gates_size && !making->plan->counts_entries))
		return PROBE_NONE;
	if (making->request->probe == PLAN_PROBE_FLAG)
		return PROBE_FLAG;
	return choice->keep_flags ? PROBE_COUNT_KEEP_FLAGS : PROBE_COUNT;
}

static struct trampoline trampoline_for(const struct making *making, uint32_t index,
					const struct plan_function *row)
{
	const struct place_choice *choice = &making->choices[index];
	struct trampoline trampoline = {
		.address = row->address,
		.bytes = image_bytes_at(making->image, row->address, row->size),
		.size = row->size,
		.displaced = choice->displaced,
		.probe = probe_of(making, choice),
		.slot = making->plan->slot_count * making->plan->slot_size,
		.hook = choice->hook,
		.gate = choice->wanted ? gates_of_hooked(making->plan, row) : 0,
		.call_end = choice->call_end,
		.entrance = making->plan->gates_size
				    ? making->plan->code_address +
					      gates_entrance(making->plan, row)
				    : 0,
		.hook_layout = making->request->hook_layout,
	};

	if (!choice->call_end)
		trampoline.copied = trampoline_choose_copy(&trampoline);
	/* As in place.c: faults of Go functions. */
	if ((row->flags & IMAGE_FUNCTION_GO) &&
	    decode_faults_deep(trampoline.bytes, trampoline.copied))
		trampoline.copied = trampoline.displaced;
	return trampoline;
}

static void align_code(struct plan *plan)
{
	while (plan->code.count % TRAMPOLINE_ALIGNMENT)
		vector_push(&plan->code, 0xcc);
}

enum plan_reason making_write_trampoline(struct making *making,
					 const struct trampoline *trampoline,
					 uint64_t *ret_start)
{
	struct plan *plan = making->plan;
	const struct making_mark mark = making_mark(making);
	struct emitter emitter = making_emitter(making);

	trampoline_emit(&emitter, trampoline, ret_start);
	plan->code.count = emitter.count;
	if (!emitter.reason && !emitter.full)
		return PLAN_INSTRUMENTED;
	making_undo(making, &mark);
	return emitter.reason ? emitter.reason : PLAN_OUT_OF_REACH;
}

/* Where in plan.code an entry, or the call there, is led: the word that a call goes
 * through ends its trampoline. */
static size_t entrance_of(const struct making *making,
			  const struct trampoline *trampoline,
			  const struct plan_function *row)
{
	if (trampoline->call_end &&
	    entry_call_read(trampoline->bytes, row->address, trampoline->call_end).word)
		return making->plan->code.count - sizeof(uint64_t);
	return gates_entrance(making->plan, row);
}

/* Writes trampoline and patches of a function. On failure nothing is left of them. */
static enum plan_reason instrument(struct making *making, uint32_t index,
				   struct plan_function *row)
{
	const struct place_choice *choice = &making->choices[index];
	struct plan *plan = making->plan;
	const struct making_mark mark = making_mark(making);
	struct trampoline trampoline;
	enum plan_reason reason;
	uint64_t start;

	row->hook = choice->hook;
	trampoline = trampoline_for(making, index, row);
	vector_reserve(&plan->code,
		       mark.code + TRAMPOLINE_ALIGNMENT + TRAMPOLINE_SIZE_MAX);
	align_code(plan);
	row->trampoline = (uint32_t)plan->code.count;
	reason = making_write_trampoline(making, &trampoline, &start);
	if (reason && trampoline.copied > trampoline.displaced) {
		trampoline.copied = trampoline.displaced;
		reason = making_write_trampoline(making, &trampoline, &start);
	}
	if (!reason &&
	    !add_patches(making, index,
			 plan->code_address + entrance_of(making, &trampoline, row),
			 start))
		reason = PLAN_OUT_OF_REACH;
	if (!reason) {
		row->displaced = choice->displaced;
		row->copied = (uint8_t)trampoline.copied;
		row->call_end = choice->call_end;
		plan->slot_count += trampoline.probe != PROBE_NONE;
		return PLAN_INSTRUMENTED;
	}
	row->hook = 0;
	making_undo(making, &mark);
	return reason;
}

/* Whether a reason against a jump at the entry is none against a relocated function. */
static bool can_relocate(uint8_t reason)
{
	return reason == PLAN_INSTRUMENTED || reason == PLAN_NO_ROOM ||
	       reason == PLAN_BRANCH_INTO_ENTRY || reason == PLAN_NOT_MOVABLE;
}

/* Neither gate nor probe: at most a hook, which others need. */
static void write_no_span(struct making *making, uint32_t index,
			  struct plan_function *row)
{
	const struct place_choice *choice = &making->choices[index];

	spans_give_up(making, index);
	row->reason = PLAN_NO_RETURNS;
	if (choice->hook && !choice->reason)
		instrument(making, index, row);
	if (choice->passed_on)
		row->reason = PLAN_NOT_WANTED;
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
			can_relocate(choice->reason) &&
			!(making->image->functions.items[i].flags & IMAGE_FUNCTION_GO);
	}
}

/* Whole if that is asked for and can be; else its entry alone. */
static void write_function(struct making *making, uint32_t index,
			   struct plan_function *row)
{
	const struct place_choice *choice = &making->choices[index];
	/* Go's scheduler resumes functions where a signal found them, by a jump of its
	 * own. */
	bool blocks =
		relocates(making) && choice->wanted && !(row->flags & IMAGE_FUNCTION_GO);

	/* Readers have hooks where calls are copied. In a profile of several processes
	 * counts of one function are to be of one kind. */
	if (blocks && !choice->hook && !making->readers[index] &&
	    (!choice->unseen || making->request->is_span) &&
	    can_relocate(choice->reason) && blocks_instrument(making, index, row)) {
		row->reason = PLAN_INSTRUMENTED;
		return;
	}
	if (making->request->spans && !making->request->is_span && choice->wanted) {
		write_no_span(making, index, row);
		return;
	}
	if (spans_are_seen(making, index))
		spans_give_up(making, index);
	if (plan_is_part(row)) {
		row->reason = PLAN_PART_STAYS;
		return;
	}
	if ((choice->wanted || choice->hook) && !choice->reason)
		row->reason = (uint8_t)instrument(making, index, row);
	if (blocks && making->request->depth >= PLAN_BLOCKS &&
	    row->reason == PLAN_INSTRUMENTED)
		blocks_add_single(making, index, row);
}

void making_write_row(struct making *making, uint32_t i)
{
	const struct image *image = making->image;
	struct plan *plan = making->plan;
	const struct image_function *function = &image->functions.items[i];
	const struct place_choice *choice = &making->choices[i];
	struct plan_function *row = &plan->functions.items[i];

	row->address = function->address;
	row->size = function->size > UINT32_MAX ? UINT32_MAX : (uint32_t)function->size;
	row->name = function->name;
	row->flags = (uint16_t)function->flags;
	row->part_of = parts_owner(image, i);
	plan->part_count += plan_is_part(row);
	row->slot = row->slots = plan->slot_count;
	row->cold_slots = MAKING_COLD + making->cold_count;
	if (plan->gates_size && !plan->counts_entries)
		row->slot = plan_lost_slot(plan, i);
	row->reason = choice->reason;
	write_function(making, i, row);
	if (!making->choices[row->part_of].wanted)
		row->reason = PLAN_NOT_WANTED;
	/* Trampolines are looked up by their order. */
	if (!row->hook && row->reason)
		row->trampoline = (uint32_t)plan->code.count;
}

/* What ran in earlier runs comes first, so that it takes few pages. */
void making_write(struct making *making, uint32_t first, uint32_t end)
{
	const struct image *image = making->image;
	const struct frequencies *frequencies = making->request->frequencies;
	struct plan_function *rows = making->plan->functions.items;
	uint32_t place = first;

	for (unsigned ran = 2; ran--;)
		for (uint32_t i = first; i < end; i++) {
			const struct image_function *function =
				&image->functions.items[i];

			if (frequencies_know(frequencies, function->address) != ran)
				continue;
			if (i + PLACE_AHEAD < image->functions.count)
				map_prefetch(&making->scan.map,
					     function[PLACE_AHEAD].address);
			rows[i].in_front = ran && frequencies && frequencies->rows.count;
			rows[place].by_code = i;
			rows[i].place = place++;
			making_write_row(making, i);
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

uint32_t making_new_slot(struct making *making, bool cold)
{
	return cold ? MAKING_COLD + making->cold_count++ : making->plan->slot_count++;
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
 * code/home.h. */
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
	if (relocates(making))
		flag_calls_find(making);
	return NULL;
}

void making_finish(struct making *making)
{
	write_left(making);
	blocks_hook_returns(making);
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
	inline_place(&making);
	place_cold_slots(&making);
	*ret_plan = making.plan;
	making_end(&making);
	return NULL;
}
