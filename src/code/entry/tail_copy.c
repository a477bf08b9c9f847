#include "code/entry/tail_copy.h"

#include "code/entry/trampoline.h"
#include "x86/length.h"

#include <string.h>

/* A walk through what may be copied. Offsets are from the function's address on. */
struct body {
	const struct trampoline *trampoline;
	int64_t furthest; /* the furthest target of forward branches */
};

/* Whether an instruction may run elsewhere, as far as its first bytes tell: relocating it
 * finds the rest. What enters other code stays at its place, with its return address, and
 * so do `loop` and its like, which have side effects before they jump. */
static bool may_move(const struct brief *brief)
{
	switch (brief->kind) {
	case BRIEF_CALL32:
	case BRIEF_CALL_INDIRECT:
	case BRIEF_SYSCALL:
	case BRIEF_SEGMENT:
		return false;
	case BRIEF_CONDITION8:
		return (brief->opcode & 0xf0) == 0x70;
	case BRIEF_STOP:
		return brief->map == 0 && (brief->opcode & 0xfe) == 0xc2; /* ret */
	default:
		return true;
	}
}

static bool is_direct(const struct brief *brief)
{
	return brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_JUMP32 ||
	       brief->kind == BRIEF_CONDITION8 || brief->kind == BRIEF_CONDITION32;
}

/* Notes where a direct branch leads. False for loops: their code is best left as the
 * compiler has aligned it. */
static bool note_target(struct body *body, unsigned at, const struct brief *brief)
{
	const uint8_t *end = body->trampoline->bytes + at + brief->length;
	int32_t distance = (int8_t)end[-1];
	int64_t target;

	if (brief->immediate == sizeof(distance))
		memcpy(&distance, end - sizeof(distance), sizeof(distance));
	target = (int64_t)at + brief->length + distance;
	if (target < 0 || target >= (int64_t)body->trampoline->size)
		return true;
	if (target > body->furthest)
		body->furthest = target;
	return target > at || at < body->trampoline->displaced;
}

static bool is_leaving(const struct brief *brief)
{
	return brief->kind == BRIEF_STOP || brief->kind == BRIEF_JUMP8 ||
	       brief->kind == BRIEF_JUMP32 || brief->kind == BRIEF_JUMP_INDIRECT;
}

/* Whether it is one of BRIEF_STOP, or a few others. */
static bool may_stop(const uint8_t *bytes)
{
	uint8_t opcode = bytes[(bytes[0] & 0xf0) == 0x40];

	return (opcode & 0xf6) == 0xc2 || opcode == 0xcf || opcode == 0xf4 ||
	       opcode == 0x0f;
}

/* The length of an instruction that goes on behind itself, if length_classify knows it;
 * else 0.
 */
static unsigned plain_length(const uint8_t *bytes, size_t available)
{
	uint32_t class;

	if (available < CLASSIFY_BYTES || may_stop(bytes))
		return 0;
	class = length_classify(length_classify_tables(), bytes);
	if ((class & CLASSIFY_KIND) || (class & CLASSIFY_LENGTH) > available)
		return 0;
	return class & CLASSIFY_LENGTH;
}

unsigned trampoline_choose_copy(const struct trampoline *trampoline)
{
	struct body body = {.trampoline = trampoline};
	unsigned at = trampoline_patch_offset(trampoline->bytes, trampoline->size);
	unsigned displaced = trampoline->displaced, tail = displaced;
	struct brief brief;

	while (at < trampoline->size && at < displaced + TRAMPOLINE_BODY_MAX) {
		const uint8_t *bytes = trampoline->bytes + at;
		size_t left = trampoline->size - at;
		unsigned plain = plain_length(bytes, left);

		at += plain;
		if (plain)
			continue;
		if (!length_decode(bytes, left, &brief) || !may_move(&brief) ||
		    (is_direct(&brief) && !note_target(&body, at, &brief)))
			return tail;
		at += brief.length;
		if (at < displaced || !is_leaving(&brief))
			continue;
		if (at > displaced + TRAMPOLINE_BODY_MAX)
			return tail;
		if (at >= body.furthest)
			return at;
		if (tail == displaced && at - displaced <= TRAMPOLINE_TAIL_MAX)
			tail = at;
	}
	return tail;
}
