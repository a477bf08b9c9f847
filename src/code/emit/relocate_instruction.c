#include "code/emit/relocate_instruction.h"

#include "code/emit/emit.h"
#include "code/plan/position.h"

#include <string.h>

static void fail_with(struct emitter *emitter, enum plan_reason reason)
{
	if (!emitter->reason)
		emitter->reason = reason;
}

/* Notes that the instruction now written is not the first one for its original. */
static void mark_inside(struct emitter *emitter, const struct instruction *instruction,
			const struct relocation *relocation)
{
	emit_mark(emitter, (struct emit_mark){.kind = PLAN_POSITION_DISPLACED,
					      .original = instruction->address,
					      .instruction = (uint8_t)relocation->index,
					      .inside = true});
}

/* Writes the displacement at the end of a branch. Branches to the entry, and to
 * instructions that are relocated, too, lead behind the probe. */
static void finish_branch(struct emitter *emitter, const struct instruction *instruction,
			  struct relocation *relocation)
{
	uint64_t target = instruction->target, offset = target - relocation->entry;

	if (target == relocation->entry || target == relocation->patch) {
		target = relocation->start;
	} else if (target >= relocation->patch && target < relocation->end) {
		relocation->ahead = true;
		/* No instruction may start there, where data is between the code. */
		if (relocation->all_known && relocation->offsets[offset])
			target = relocation->start + relocation->offsets[offset];
	}
	emit_relative(emitter, target, 0);
}

/* The bytes as they are but for the displacement of a RIP-relative operand. */
static void copy_instruction(struct emitter *emitter,
			     const struct instruction *instruction,
			     struct relocation *relocation)
{
	size_t before = instruction->displacement, behind;

	(void)relocation;
	if (!before) {
		emit_bytes(emitter, instruction->bytes, instruction->length);
		return;
	}
	behind = instruction->length - before - 4u;
	emit_bytes(emitter, instruction->bytes, before);
	emit_relative(emitter, instruction->target, behind);
	emit_bytes(emitter, instruction->bytes + before + 4, behind);
}

static void relocate_jump(struct emitter *emitter, const struct instruction *instruction,
			  struct relocation *relocation)
{
	emit_byte(emitter, 0xe9);
	/* It may be retargeted: call_stubs.c. */
	if (instruction->kind == INSTRUCTION_JUMP &&
	    instruction->target - relocation->entry >= RELOCATION_SIZE_MAX)
		emit_note_jump(emitter, instruction->address, false);
	finish_branch(emitter, instruction, relocation);
}

static void relocate_condition(struct emitter *emitter,
			       const struct instruction *instruction,
			       struct relocation *relocation)
{
	emit_byte(emitter, 0x0f);
	emit_byte(emitter, 0x80 | instruction->condition);
	finish_branch(emitter, instruction, relocation);
}

/* loop 1f; jmp 2f; 1: jmp target; 2: */
static void relocate_loop(struct emitter *emitter, const struct instruction *instruction,
			  struct relocation *relocation)
{
	emit_bytes(emitter, instruction->bytes, instruction->length - 1u);
	emit_byte(emitter, 2);
	mark_inside(emitter, instruction, relocation);
	emit_byte(emitter, 0xeb);
	emit_byte(emitter, 5);
	mark_inside(emitter, instruction, relocation);
	relocate_jump(emitter, instruction, relocation);
}

/* Pushes the return address that the call has at its own place. */
static void push_return(struct emitter *emitter, const struct instruction *instruction,
			struct relocation *relocation)
{
	emit_byte(emitter, 0xff);
	emit_byte(emitter, 0x35);
	if (relocation->return_word) {
		emit_relative(emitter, relocation->return_word, 0);
	} else {
		relocation->pending = emitter->count;
		relocation->pending_value = instruction->address + instruction->length;
		emit_word32(emitter, 0);
	}
	mark_inside(emitter, instruction, relocation);
}

/*
 * jmp through the operand of an indirect call: /2 becomes /4. An operand based on rsp is
 * 8 bytes further once the return address is pushed; the decoder has seen that there is
 * room.
 */
static void jump_through(struct emitter *emitter, const struct instruction *instruction)
{
	uint8_t bytes[16], *modrm = bytes + instruction->modrm;
	int32_t wide;

	memcpy(bytes, instruction->bytes, instruction->length);
	if (instruction->on_stack && *modrm >> 6 == 1) {
		modrm[2] = (uint8_t)(modrm[2] + 8);
	} else if (instruction->on_stack) {
		memcpy(&wide, modrm + 2, sizeof(wide));
		wide += 8;
		memcpy(modrm + 2, &wide, sizeof(wide));
	}
	*modrm = (uint8_t)((*modrm & ~0x38) | 0x20);
	if (instruction->displacement) {
		emit_bytes(emitter, bytes, instruction->displacement);
		emit_relative(emitter, instruction->target, 0);
	} else {
		emit_bytes(emitter, bytes, instruction->length);
	}
}

void relocate_instruction(struct emitter *emitter, const struct instruction *instruction,
			  struct relocation *relocation)
{
	static void (*const forms[])(struct emitter *, const struct instruction *,
				     struct relocation *) = {
		[INSTRUCTION_PLAIN] = copy_instruction,
		[INSTRUCTION_JUMP] = relocate_jump,
		[INSTRUCTION_CONDITION] = relocate_condition,
		[INSTRUCTION_LOOP] = relocate_loop,
		[INSTRUCTION_JUMP_INDIRECT] = copy_instruction,
		[INSTRUCTION_RETURN] = copy_instruction,
	};

	if (instruction->fixed) {
		fail_with(emitter, PLAN_NOT_MOVABLE);
	} else if (instruction->kind == INSTRUCTION_CALL) {
		push_return(emitter, instruction, relocation);
		emit_call_jump(emitter, instruction->target, instruction->address);
	} else if (instruction->kind == INSTRUCTION_CALL_INDIRECT) {
		push_return(emitter, instruction, relocation);
		jump_through(emitter, instruction);
	} else {
		forms[instruction->kind](emitter, instruction, relocation);
	}
}
