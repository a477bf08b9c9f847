#include "code/planner/write_row.h"

#include "code/builder/beyond.h"
#include "code/calls/gate_layout.h"
#include "code/calls/gates.h"
#include "code/calls/spans.h"
#include "code/count/frequencies.h"
#include "code/entry/tail_copy.h"
#include "code/entry/trampoline.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/blocks.h"
#include "code/scan/cold_parts.h"
#include "code/scan/entry_call.h"
#include "code/scan/ra_readers.h"
#include "x86/decode.h"

#include <string.h>

enum { TRAMPOLINE_ALIGNMENT = 16, JUMP = MAKING_JUMP };

uint8_t making_reader_hook(const struct making *making, uint32_t index)
{
	const struct plan_request *request = making->request;

	if (request->hook_beyond && making_relocates(making) &&
	    beyond_needs_hook(making, index))
		return request->hook_beyond;
	if (!request->copy_calls || !making->readers[index])
		return 0;
	return making->readers[index] == READER_OWN ? request->hook_own
						    : request->hook_stack;
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

/* Whole if that is asked for and can be; else its entry alone. */
static void write_function(struct making *making, uint32_t index,
			   struct plan_function *row)
{
	const struct place_choice *choice = &making->choices[index];
	/* Go's scheduler resumes functions where a signal found them, by a jump of its
	 * own. */
	bool blocks = making_relocates(making) && choice->wanted &&
		      !(row->flags & IMAGE_FUNCTION_GO);

	/* Readers have hooks where calls are copied. In a profile of several processes
	 * counts of one function are to be of one kind. */
	if (blocks && !choice->hook && !making->readers[index] &&
	    (!choice->unseen || making->request->is_span) &&
	    making_can_relocate(choice->reason) &&
	    blocks_instrument(making, index, row)) {
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
