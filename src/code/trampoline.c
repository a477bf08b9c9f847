#include "code/trampoline.h"

#include <string.h>

enum { CALL_LENGTH = 5 };

unsigned trampoline_patch_offset(const uint8_t *bytes, size_t size)
{
	static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};

	return size >= 4 && !memcmp(bytes, endbr64, 4) ? 4 : 0;
}

static void mark_probe(struct emitter *emitter, enum plan_place_kind kind,
		       uint64_t original)
{
	emit_mark(emitter,
		  (struct emit_mark){.kind = (uint8_t)kind, .original = original});
}

static void emit_slot(struct emitter *emitter, uint32_t slot)
{
	emit_fixup(emitter, PLAN_FIXUP_SLOT);
	emit_word32(emitter, slot);
}

static void emit_probe(struct emitter *emitter, const struct trampoline *trampoline,
		       enum plan_place_kind kind, uint64_t original)
{
	static const uint8_t increment[] = {0x65, 0x48, 0xff, 0x04, 0x25};
	static const uint8_t set[] = {0x65, 0xc6, 0x04, 0x25};
	static const uint8_t load_r11[] = {0x65, 0x4c, 0x8b, 0x1c, 0x25};
	static const uint8_t add_r11[] = {0x4d, 0x8d, 0x5b, 0x01}; /* lea 1(%r11), %r11 */
	static const uint8_t store_r11[] = {0x65, 0x4c, 0x89, 0x1c, 0x25};

	if (trampoline->probe == TRAMPOLINE_NO_PROBE)
		return;
	mark_probe(emitter, kind, original);
	switch (trampoline->probe) {
	case TRAMPOLINE_COUNT:
		emit_bytes(emitter, increment, sizeof(increment));
		emit_slot(emitter, trampoline->slot);
		break;
	case TRAMPOLINE_FLAG:
		emit_bytes(emitter, set, sizeof(set));
		emit_slot(emitter, trampoline->slot);
		emit_byte(emitter, 1);
		break;
	default:
		/* r11 is dead at an entry, so the three can be begun again. */
		emit_bytes(emitter, load_r11, sizeof(load_r11));
		emit_slot(emitter, trampoline->slot);
		mark_probe(emitter, kind, original);
		emit_bytes(emitter, add_r11, sizeof(add_r11));
		mark_probe(emitter, kind, original);
		emit_bytes(emitter, store_r11, sizeof(store_r11));
		emit_slot(emitter, trampoline->slot);
	}
}

/* No instruction of it touches flags. */
static void emit_hook(struct emitter *emitter, const struct trampoline *trampoline,
		      uint64_t original)
{
	static const uint8_t skip_red_zone[] = {0x48, 0x8d, 0x64, 0x24, 0x80};
	static const uint8_t call_through[] = {0x65, 0xff, 0x14, 0x25};
	static const uint8_t unwind[] = {0x48, 0x8d, 0xa4, 0x24, 0x88, 0, 0, 0};
	struct emit_mark mark = {.kind = PLAN_PLACE_HOOK, .original = original};

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
	emit_bytes(emitter, unwind, sizeof(unwind));
}

/* Relocates [from, to) of the function. Whether control leaves with its last instruction.
 */
static bool emit_originals(struct emitter *emitter, const struct trampoline *trampoline,
			   struct relocation *relocation, unsigned from, unsigned to)
{
	struct instruction instruction = {0};
	bool leaves = false;

	for (unsigned at = from; at < to && !emitter->reason; at += instruction.length) {
		uint64_t address = trampoline->address + at;

		if (!decode_instruction(trampoline->bytes + at, to - at, address,
					&instruction)) {
			emitter->reason = PLAN_UNDECODABLE;
			return true;
		}
		emit_mark(emitter,
			  (struct emit_mark){.kind = relocation->index
							     ? PLAN_PLACE_DISPLACED
							     : PLAN_PLACE_START,
					     .original = address,
					     .instruction = (uint8_t)relocation->index});
		relocate_instruction(emitter, &instruction, relocation);
		relocation->index++;
		/* An emulated call returns to the original code. */
		leaves = instruction_leaves(&instruction) ||
			 instruction_calls(&instruction);
	}
	return leaves;
}

/*
 * How many straight bytes from `from` on lead to where control leaves, 0 if these are too
 * many or have something in them that is better left where it is.
 */
static unsigned straight_tail(const struct trampoline *trampoline, unsigned from)
{
	struct instruction instruction;
	unsigned at = from;

	while (at < trampoline->size && at - from < TRAMPOLINE_TAIL_MAX) {
		if (!decode_instruction(trampoline->bytes + at, trampoline->size - at,
					trampoline->address + at, &instruction) ||
		    instruction.fixed || instruction_calls(&instruction) ||
		    instruction.kind == INSTRUCTION_CONDITION ||
		    instruction.kind == INSTRUCTION_LOOP)
			return 0;
		at += instruction.length;
		if (instruction_leaves(&instruction))
			return at - from <= TRAMPOLINE_TAIL_MAX ? at - from : 0;
	}
	return 0;
}

/* What runs on behind the displaced instructions: a copy of the rest, or the jump back.
 */
static void emit_rest(struct emitter *emitter, const struct trampoline *trampoline,
		      struct relocation *relocation)
{
	unsigned from = trampoline->displaced, tail = straight_tail(trampoline, from);
	size_t count = emitter->count, marks = emitter->marks ? emitter->marks->count : 0;
	unsigned index = relocation->index;

	if (emitter->reason)
		return;
	if (tail) {
		emit_originals(emitter, trampoline, relocation, from, from + tail);
		if (!emitter->reason)
			return;
		/* An operand out of reach: the original has it in reach. */
		emitter->count = count;
		emitter->reason = PLAN_INSTRUMENTED;
		relocation->index = index;
		if (emitter->marks)
			emitter->marks->count = marks;
	}
	emit_mark(emitter, (struct emit_mark){.kind = PLAN_PLACE_BACK,
					      .original = trampoline->address + from,
					      .instruction = (uint8_t)relocation->index});
	emit_jump(emitter, trampoline->address + from);
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

/* The probe, and the jump to where the call leads. */
static void emit_stub(struct emitter *emitter, const struct trampoline *trampoline)
{
	const uint8_t *call = trampoline->bytes + trampoline->call_end - CALL_LENGTH;
	uint64_t end = trampoline->address + trampoline->call_end, target;
	int32_t distance;

	memcpy(&distance, call + 1, sizeof(distance));
	target = end + (uint64_t)(int64_t)distance;
	emit_probe(emitter, trampoline, PLAN_PLACE_CALL_UNDO, end - CALL_LENGTH);
	emit_mark(emitter,
		  (struct emit_mark){.kind = PLAN_PLACE_CALL_DONE, .original = target});
	emit_jump(emitter, target);
}

void trampoline_emit(struct emitter *emitter, const struct trampoline *trampoline,
		     uint64_t *ret_start)
{
	unsigned patch = trampoline_patch_offset(trampoline->bytes, trampoline->size);
	struct relocation relocation = {.entry = trampoline->address,
					.patch = trampoline->address + patch};

	if (trampoline->call_end) {
		*ret_start = emit_here(emitter);
		emit_stub(emitter, trampoline);
		return;
	}
	emit_probe(emitter, trampoline, PLAN_PLACE_PROBE, relocation.patch);
	emit_hook(emitter, trampoline, relocation.patch);
	relocation.start = emit_here(emitter);
	*ret_start = relocation.start;
	if (!emit_originals(emitter, trampoline, &relocation, patch,
			    trampoline->displaced))
		emit_rest(emitter, trampoline, &relocation);
	emit_return_word(emitter, &relocation);
}
