#include "code/scan/entry_call.h"

#include <string.h>

static const uint8_t call_word[] = {0xff, 0x15}, jump_word[] = {0xff, 0x25};

enum { DISPLACEMENT = 4, DIRECT = 5, THROUGH_WORD = 6 };

bool entry_call_is_word(const uint8_t *bytes, size_t size)
{
	return size == THROUGH_WORD && !memcmp(bytes, call_word, sizeof(call_word));
}

struct entry_call entry_call_read(const uint8_t *bytes, uint64_t address, uint32_t end)
{
	bool word = end >= THROUGH_WORD &&
		    entry_call_is_word(bytes + end - THROUGH_WORD, THROUGH_WORD);
	int32_t distance;

	memcpy(&distance, bytes + end - DISPLACEMENT, sizeof(distance));
	return (struct entry_call){
		.call = address + end - (word ? THROUGH_WORD : DIRECT),
		.target = address + end + (uint64_t)(int64_t)distance,
		.word = word,
	};
}

void entry_call_jump(struct emitter *emitter, const struct entry_call *call)
{
	if (!call->word) {
		emit_call_jump(emitter, call->target, call->call);
		return;
	}
	emit_bytes(emitter, jump_word, sizeof(jump_word));
	emit_relative(emitter, call->target, 0);
}

void entry_call_word(struct emitter *emitter, uint64_t value)
{
	emit_fixup(emitter, PLAN_FIXUP_ADDRESS);
	if (emit_is_own(emitter, value))
		emit_note_shift(emitter, emitter->count, EMIT_SHIFT_WORD64);
	emit_bytes(emitter, (const uint8_t *)&value, sizeof(value));
}
