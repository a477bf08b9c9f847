#include "code/planner/write_row.h"

#include "code/builder/beyond.h"
#include "code/calls/gate_layout.h"
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
#include "image/contents.h"
#include "x86/decode.h"

#include <string.h>

enum { TRAMPOLINE_ALIGNMENT = 16, JUMP = BUILDER_JUMP };

uint8_t builder_ra_hook(struct plan_builder *builder, uint32_t index)
{
	const struct plan_request *request = builder->request;

	if (request->hook_beyond && builder_relocates(builder) &&
	    beyond_needs_hook(builder, index))
		return request->hook_beyond;
	if (!request->copy_calls || !builder->returns.readers[index])
		return 0;
	return builder->returns.readers[index] == RA_READER_OWN ? request->hook_own
								: request->hook_stack;
}

/* The displacement of a branch back to the entry. */
static bool rewrite_branch(struct plan_builder *builder, const struct scan_branch *branch,
			   uint64_t target)
{
	uint64_t end = branch->address + branch->length;
	struct plan_patch *patch =
		builder_add_patch(&builder->out.islands, end - branch->width,
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

	patch->address = end - ENTRY_PATCH_DISPLACEMENT;
	memcpy(patch->bytes, &wide, ENTRY_PATCH_DISPLACEMENT);
	return distance == wide;
}

/* All patches of a function; false if a jump does not reach. */
static bool add_patches(struct plan_builder *builder, uint32_t index, uint64_t trampoline,
			uint64_t start)
{
	const struct image_function *function = &builder->image->functions.items[index];
	const struct entry_patch *choice = &builder->choices[index];
	const struct scan *scan = &builder->scan;
	uint64_t entry = function->address + (scan->traits[index] & SCAN_MARKED ? 4 : 0);
	struct plan_patch *patch =
		builder_add_patch(&builder->plan->patches, entry, index, choice->size);
	bool reached = true;

	if (choice->call_end)
		return patch_call(patch, function->address + choice->call_end,
				  trampoline);
	if (choice->island) {
		patch->bytes[0] = 0xeb;
		patch->bytes[1] = (uint8_t)(choice->island - entry - 2);
		patch = builder_add_patch(&builder->out.islands, choice->island, index,
					  JUMP);
	}
	reached &= builder_patch_jump(patch, 0, trampoline);
	if (choice->loop_island)
		patch = builder_add_patch(&builder->out.islands, choice->loop, index,
					  JUMP);
	if (choice->loop)
		reached &=
			builder_patch_jump(patch, choice->loop_island ? 0 : JUMP, start);
	if (!(scan->traits[index] & SCAN_INNER))
		return reached;
	for (const struct scan_branch *branch = scan_inner_of(scan, index);
	     branch < scan->inner.items + scan->inner.count && branch->function == index;
	     branch++)
		if (entry_patch_rewrites(branch, function->address, choice))
			reached &=
				rewrite_branch(builder, branch,
					       branch->width == 1 ? choice->loop : start);
	return reached;
}

static enum probe_form probe_of(const struct plan_builder *builder,
				const struct entry_patch *choice)
{
	if (!choice->wanted ||
	    (builder->plan->gates_size && !builder->plan->counts_entries))
		return PROBE_NONE;
	if (builder->request->probe == PLAN_PROBE_FLAG)
		return PROBE_FLAG;
	return choice->keep_flags ? PROBE_COUNT_KEEP_FLAGS : PROBE_COUNT;
}

static struct trampoline trampoline_for(const struct plan_builder *builder,
					uint32_t index, const struct plan_function *row)
{
	const struct entry_patch *choice = &builder->choices[index];
	struct trampoline trampoline = {
		.address = row->address,
		.bytes = image_bytes_at(builder->image, row->address, row->size),
		.size = row->size,
		.displaced = choice->displaced,
		.probe = probe_of(builder, choice),
		.slot = builder->plan->slot_count * builder->plan->slot_size,
		.hook = choice->hook,
		.gate = choice->wanted ? gates_of_hooked(builder->plan, row) : 0,
		.call_end = choice->call_end,
		.entrance = builder->plan->gates_size
				    ? builder->plan->code_address +
					      gates_entrance(builder->plan, row)
				    : 0,
		.hook_layout = builder->request->hook_layout,
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

enum plan_reason builder_write_trampoline(struct plan_builder *builder,
					  const struct trampoline *trampoline,
					  uint64_t *ret_start)
{
	struct plan *plan = builder->plan;
	const struct builder_mark mark = builder_mark(builder);
	struct emitter emitter = builder_emitter(builder);

	trampoline_emit(&emitter, trampoline, ret_start);
	plan->code.count = emitter.count;
	if (!emitter.reason && !emitter.full)
		return PLAN_INSTRUMENTED;
	builder_undo(builder, &mark);
	return emitter.reason ? emitter.reason : PLAN_OUT_OF_REACH;
}

/* Offset in plan.code to which an entry, or the call there, leads: the word of a call
 * through memory ends its trampoline. */
static size_t entrance_of(const struct plan_builder *builder,
			  const struct trampoline *trampoline,
			  const struct plan_function *row)
{
	if (trampoline->call_end &&
	    entry_call_read(trampoline->bytes, row->address, trampoline->call_end).word)
		return builder->plan->code.count - sizeof(uint64_t);
	return gates_entrance(builder->plan, row);
}

/* Writes trampoline and patches of a function. On failure nothing is left of them. */
static enum plan_reason instrument_entry(struct plan_builder *builder, uint32_t index,
					 struct plan_function *row)
{
	const struct entry_patch *choice = &builder->choices[index];
	struct plan *plan = builder->plan;
	const struct builder_mark mark = builder_mark(builder);
	struct trampoline trampoline;
	enum plan_reason reason;
	uint64_t start;

	row->hook = choice->hook;
	trampoline = trampoline_for(builder, index, row);
	vector_reserve(&plan->code,
		       mark.code + TRAMPOLINE_ALIGNMENT + TRAMPOLINE_SIZE_MAX);
	align_code(plan);
	row->trampoline = (uint32_t)plan->code.count;
	reason = builder_write_trampoline(builder, &trampoline, &start);
	if (reason && trampoline.copied > trampoline.displaced) {
		trampoline.copied = trampoline.displaced;
		reason = builder_write_trampoline(builder, &trampoline, &start);
	}
	if (!reason &&
	    !add_patches(builder, index,
			 plan->code_address + entrance_of(builder, &trampoline, row),
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
	builder_undo(builder, &mark);
	return reason;
}

/* Neither gate nor probe: at most a hook, which others need. */
static void write_no_span(struct plan_builder *builder, uint32_t index,
			  struct plan_function *row)
{
	const struct entry_patch *choice = &builder->choices[index];

	spans_give_up(builder, index);
	row->reason = PLAN_NO_RETURNS;
	if (choice->hook && !choice->reason)
		instrument_entry(builder, index, row);
	if (choice->passed_on)
		row->reason = PLAN_NOT_WANTED;
}

/* Writes a function whole if requested and possible; else its entry alone. */
static void write_function(struct plan_builder *builder, uint32_t index,
			   struct plan_function *row)
{
	const struct entry_patch *choice = &builder->choices[index];
	/* Go's scheduler resumes functions where a signal found them, by a jump of its
	 * own. */
	bool blocks = builder_relocates(builder) && choice->wanted &&
		      !(row->flags & IMAGE_FUNCTION_GO);

	/* Readers have hooks where calls are copied. In a profile of several processes
	 * counts of one function are to be of one kind. */
	if (blocks && !choice->hook && !builder->returns.readers[index] &&
	    (!choice->unseen || builder->request->is_span) &&
	    builder_can_relocate(choice->reason) &&
	    blocks_instrument(builder, index, row)) {
		row->reason = PLAN_INSTRUMENTED;
		return;
	}
	if (builder->request->points && choice->wanted)
		blocks_tell_points(builder, index);
	if (builder->request->spans && !builder->request->is_span && choice->wanted) {
		write_no_span(builder, index, row);
		return;
	}
	if (spans_are_seen(builder, index))
		spans_give_up(builder, index);
	if (plan_is_cold_part(row)) {
		row->reason = PLAN_COLD_PART_STAYS;
		return;
	}
	if ((choice->wanted || choice->hook) && !choice->reason)
		row->reason = (uint8_t)instrument_entry(builder, index, row);
	if (blocks && builder->request->depth >= PLAN_BLOCKS &&
	    row->reason == PLAN_INSTRUMENTED)
		blocks_add_single(builder, index, row);
}

void builder_write_row(struct plan_builder *builder, uint32_t i)
{
	const struct image *image = builder->image;
	struct plan *plan = builder->plan;
	const struct image_function *function = &image->functions.items[i];
	const struct entry_patch *choice = &builder->choices[i];
	struct plan_function *row = &plan->functions.items[i];

	row->address = function->address;
	row->size = function->size > UINT32_MAX ? UINT32_MAX : (uint32_t)function->size;
	row->name = function->name;
	row->flags = (uint16_t)function->flags;
	row->part_of = cold_parts_owner(image, i);
	plan->part_count += plan_is_cold_part(row);
	row->slot = row->slots = plan->slot_count;
	row->cold_slots = BUILDER_COLD + builder->out.cold_count;
	if (plan->gates_size && !plan->counts_entries)
		row->slot = plan_lost_slot(plan, i);
	row->reason = choice->reason;
	write_function(builder, i, row);
	if (!builder->choices[row->part_of].wanted)
		row->reason = PLAN_NOT_WANTED;
	/* Trampolines are looked up by their order. */
	if (!row->hook && row->reason)
		row->trampoline = (uint32_t)plan->code.count;
}

/* Code that ran in earlier runs comes first, so that it takes few pages. */
void builder_write(struct plan_builder *builder, uint32_t first, uint32_t end)
{
	const struct image *image = builder->image;
	const struct frequencies *frequencies = builder->request->frequencies;
	struct plan_function *rows = builder->plan->functions.items;
	uint32_t place = first;

	for (unsigned ran = 2; ran--;)
		for (uint32_t i = first; i < end; i++) {
			const struct image_function *function =
				&image->functions.items[i];

			if (frequencies_know(frequencies, function->address) != ran)
				continue;
			if (i + ENTRY_PATCH_AHEAD < image->functions.count)
				code_map_prefetch(&builder->scan.map,
						  function[ENTRY_PATCH_AHEAD].address);
			rows[i].in_front = ran && frequencies && frequencies->rows.count;
			rows[place].by_code = i;
			rows[i].place = place++;
			builder_write_row(builder, i);
		}
}
