#include "code/emit/emit.h"

#include <string.h>

void emit_bytes(struct emitter *emitter, const void *bytes, size_t size)
{
	if (emitter->full || size > emitter->capacity - emitter->count) {
		emitter->full = true;
		return;
	}
	memcpy(emitter->code + emitter->count, bytes, size);
	emitter->count += size;
}

/* Most of what is written comes in ones and fours: these are quicker without a copy of
 * any size. */
void emit_byte(struct emitter *emitter, uint8_t byte)
{
	if (emitter->full || emitter->count >= emitter->capacity)
		emitter->full = true;
	else
		emitter->code[emitter->count++] = byte;
}

void emit_word32(struct emitter *emitter, uint32_t word)
{
	if (emitter->full || sizeof(word) > emitter->capacity - emitter->count) {
		emitter->full = true;
		return;
	}
	memcpy(emitter->code + emitter->count, &word, sizeof(word));
	emitter->count += sizeof(word);
}

void emit_align(struct emitter *emitter, size_t to)
{
	while (emitter->count % to)
		emit_byte(emitter, 0xcc);
}

void emit_note_shift(struct emitter *emitter, size_t offset, enum emit_shift_kind kind)
{
	if (emitter->shifts)
		vector_push(emitter->shifts,
			    ((struct emit_shift){(uint32_t)offset, kind}));
}

void emit_relative(struct emitter *emitter, uint64_t target, size_t behind)
{
	int64_t distance = (int64_t)(target - (emit_here(emitter) + 4 + behind));

	if (distance != (int32_t)distance && !emitter->reason)
		emitter->reason = PLAN_OUT_OF_REACH;
	if (!emit_is_own(emitter, target))
		emit_note_shift(emitter, emitter->count, EMIT_SHIFT_OUT);
	emit_word32(emitter, (uint32_t)distance);
}

void emit_absolute(struct emitter *emitter, uint64_t target)
{
	if (target > INT32_MAX && !emitter->reason)
		emitter->reason = PLAN_OUT_OF_REACH;
	emit_note_shift(emitter, emitter->count, EMIT_SHIFT_WORD32);
	emit_word32(emitter, (uint32_t)target);
}

void emit_note_jump(struct emitter *emitter, uint64_t site, bool counted)
{
	if (emitter->jumps)
		vector_push(emitter->jumps, ((struct emit_jump){(uint32_t)emitter->count,
								counted, site}));
}

void emit_call_jump(struct emitter *emitter, uint64_t target, uint64_t site)
{
	emit_byte(emitter, 0xe9);
	emit_note_jump(emitter, site, false);
	emit_relative(emitter, target, 0);
}

void emit_jump(struct emitter *emitter, uint64_t target)
{
	emit_byte(emitter, 0xe9);
	emit_relative(emitter, target, 0);
}

void emit_fixup(struct emitter *emitter, enum plan_fixup_kind kind)
{
	if (emitter->plan)
		vector_push(&emitter->plan->fixups,
			    ((struct plan_fixup){.offset = (uint32_t)emitter->count,
						 .kind = kind}));
}

void emit_slot(struct emitter *emitter, uint32_t slot)
{
	emit_fixup(emitter, PLAN_FIXUP_SLOT);
	emit_word32(emitter, slot);
}

void emit_mark(struct emitter *emitter, struct emit_mark mark)
{
	struct emit_marks *marks = emitter->marks;

	if (!marks || marks->count == EMIT_MARKS_MAX)
		return;
	mark.offset = emitter->count;
	marks->items[marks->count++] = mark;
}
