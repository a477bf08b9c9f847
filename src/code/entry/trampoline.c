#include "code/entry/trampoline.h"

#include "code/emit/probe.h"
#include "code/emit/relocate_instruction.h"
#include "code/plan/position.h"
#include "code/scan/entry_call.h"

#include <string.h>

unsigned trampoline_patch_offset(const uint8_t *bytes, size_t size)
{
	static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};

	return size >= 4 && !memcmp(bytes, endbr64, 4) ? 4 : 0;
}

static const uint8_t unwind[] = {0x48, 0x8d, 0xa4, 0x24, 0x88, 0, 0, 0};

/* The address to which the hook's call returns if the function was planned meanwhile: two
 * bytes behind the usual one. */
static void emit_again(struct emitter *emitter, struct emit_mark mark, uint64_t start)
{
	enum { JUMP = 5 };

	emit_byte(emitter, 0xeb); /* jmp */
	emit_byte(emitter, sizeof(unwind) + JUMP);
	emit_mark(emitter, mark);
	emit_bytes(emitter, unwind, sizeof(unwind));
	mark.stack = 0;
	emit_mark(emitter, mark);
	emit_jump(emitter, start);
}

/* No instruction of it touches flags. */
static void emit_hook(struct emitter *emitter, const struct trampoline *trampoline,
		      uint64_t original)
{
	static const uint8_t skip_red_zone[] = {0x48, 0x8d, 0x64, 0x24, 0x80};
	static const uint8_t call_through[] = {0x65, 0xff, 0x14, 0x25};
	const uint64_t start = emit_here(emitter);
	struct emit_mark mark = {.kind = trampoline->gate || trampoline->latch
						 ? PLAN_POSITION_PROBE
						 : PLAN_POSITION_HOOK,
				 .original = original};

	if (!trampoline->hook)
		return;
	emit_mark(emitter, mark);
	emit_bytes(emitter, skip_red_zone, sizeof(skip_red_zone));
	mark.stack = 128;
	emit_mark(emitter, mark);
	emit_byte(emitter, 0x6a); /* push $number */
	emit_byte(emitter, trampoline->hook);
	mark.stack = 136;
	emit_mark(emitter, mark);
	emit_bytes(emitter, call_through, sizeof(call_through));
	emit_word32(emitter, trampoline->hook_layout.entry);
	emit_mark(emitter, mark);
	if (trampoline->latch) {
		emit_again(emitter, mark, start);
		emit_mark(emitter, mark);
	}
	emit_bytes(emitter, unwind, sizeof(unwind));
	if (!trampoline->gate)
		return;
	mark.stack = 0;
	emit_mark(emitter, mark);
	emit_jump(emitter, trampoline->gate);
}

/* Relocates the trampoline's instructions. Returns whether control leaves with the last
 * one. */
static bool emit_originals(struct emitter *emitter, const struct trampoline *trampoline,
			   struct relocation *relocation)
{
	struct instruction instruction = {0};
	unsigned at = (unsigned)(relocation->patch - trampoline->address);
	bool leaves = false;

	for (; at < trampoline->copied && !emitter->reason; at += instruction.length) {
		uint64_t address = trampoline->address + at;

		if (!decode_instruction(trampoline->bytes + at, trampoline->copied - at,
					address, &instruction)) {
			emitter->reason = PLAN_UNDECODABLE;
			return true;
		}
		emit_mark(emitter,
			  (struct emit_mark){.kind = relocation->index
							     ? PLAN_POSITION_DISPLACED
							     : PLAN_POSITION_START,
					     .original = address,
					     .instruction = (uint8_t)relocation->index});
		relocation->offsets[at] =
			(uint16_t)(emit_here(emitter) - relocation->start);
		relocate_instruction(emitter, &instruction, relocation);
		relocation->index++;
		/* An emulated call returns to the original code. */
		leaves = instruction_leaves(&instruction) ||
			 instruction_calls(&instruction);
	}
	return leaves;
}

/* Writes the displaced instructions, then copied ones or the jump back. */
static void emit_body(struct emitter *emitter, const struct trampoline *trampoline,
		      struct relocation *relocation)
{
	const struct emitter before = *emitter;
	size_t marks = emitter->marks ? emitter->marks->count : 0;
	size_t jumps = emitter->jumps ? emitter->jumps->count : 0;
	size_t shifts = emitter->shifts ? emitter->shifts->count : 0;
	uint64_t behind = trampoline->address + trampoline->displaced;
	bool leaves = emit_originals(emitter, trampoline, relocation);

	if (relocation->ahead) {
		/* Once more, now that it is known where everything lies: a branch is as
		 * long wherever it leads. */
		*emitter = before;
		if (emitter->marks)
			emitter->marks->count = marks;
		if (emitter->jumps)
			emitter->jumps->count = jumps;
		if (emitter->shifts)
			emitter->shifts->count = shifts;
		relocation->index = 0;
		relocation->all_known = true;
		leaves = emit_originals(emitter, trampoline, relocation);
	}
	if (leaves || emitter->reason)
		return;
	emit_mark(emitter, (struct emit_mark){.kind = PLAN_POSITION_BACK,
					      .original = behind,
					      .instruction = (uint8_t)relocation->index});
	emit_jump(emitter, behind);
}

/* The return address that an emulated call pushes. */
static void emit_return_word(struct emitter *emitter, const struct relocation *relocation)
{
	int32_t distance = (int32_t)(emitter->count - relocation->pending - 4);

	if (!relocation->pending || emitter->full)
		return;
	memcpy(emitter->code + relocation->pending, &distance, sizeof(distance));
	emit_fixup(emitter, PLAN_FIXUP_ADDRESS);
	emit_bytes(emitter, &relocation->pending_value,
		   sizeof(relocation->pending_value));
}

/* The probe, and the jump to where the call leads; then the word, if it goes through one.
 */
static void emit_stub(struct emitter *emitter, const struct trampoline *trampoline)
{
	const struct entry_call call = entry_call_read(
		trampoline->bytes, trampoline->address, trampoline->call_end);
	const uint64_t start = emit_here(emitter);

	probe_emit(emitter, trampoline->probe, trampoline->slot, call.call,
		   PLAN_POSITION_CALL_UNDO);
	emit_mark(emitter, (struct emit_mark){.kind = PLAN_POSITION_CALL_DONE,
					      .original = call.target,
					      .word = call.word});
	entry_call_jump(emitter, &call);
	if (call.word)
		entry_call_word(emitter,
				trampoline->entrance ? trampoline->entrance : start);
}

void trampoline_emit(struct emitter *emitter, const struct trampoline *trampoline,
		     uint64_t *ret_start)
{
	unsigned patch = trampoline_patch_offset(trampoline->bytes, trampoline->size);
	struct relocation relocation = {.entry = trampoline->address,
					.patch = trampoline->address + patch,
					.end = trampoline->address + trampoline->copied};

	if (trampoline->call_end) {
		*ret_start = emit_here(emitter);
		emit_stub(emitter, trampoline);
		return;
	}
	if (trampoline->gate)
		emit_hook(emitter, trampoline, relocation.patch);
	probe_emit(emitter, trampoline->probe, trampoline->slot, relocation.patch,
		   PLAN_POSITION_PROBE);
	if (!trampoline->gate)
		emit_hook(emitter, trampoline, relocation.patch);
	relocation.start = emit_here(emitter);
	*ret_start = relocation.start;
	emit_body(emitter, trampoline, &relocation);
	emit_return_word(emitter, &relocation);
}
