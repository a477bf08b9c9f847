#include "code/relocate/inline_cache.h"

#include "code/emit/probe.h"
#include "code/plan/position.h"

#include <string.h>

/* Bytes of the instructions, up to the end of the call. */
enum {
	KEEP = 8,
	COMPARE = 9,
	RELOAD = 8,
	BRANCH = 6,
	COUNT = PROBE_COUNT_SIZE,
	CALL = 8
};
enum { TAIL = BRANCH + COUNT + CALL };

enum { R11 = 11, RSP = 4, REX = 0x40, REX_WR = 0x4c, EXTENDED = 8 };

/* mov %r11, -PLAN_KEPT(%rsp), and back; behind them lies the displacement. */
static const uint8_t keep[] = {0x4c, 0x89, 0x9c, 0x24};
static const uint8_t reload[] = {0x4c, 0x8b, 0x9c, 0x24};
/* jne, and call of a word relative to gs. */
static const uint8_t branch[] = {0x0f, 0x85};
static const uint8_t call_word[] = {0x65, 0xff, 0x14, 0x25};
static const uint8_t jump_word[] = {0x65, 0xff, 0x24, 0x25};

static void emit_kept(struct emitter *emitter, const uint8_t operation[4])
{
	emit_bytes(emitter, operation, sizeof(keep));
	emit_word32(emitter, (uint32_t)-PLAN_KEPT);
}

/* mov target, %r11: the call's own operand, behind another operation code. */
static void emit_load(struct emitter *emitter, const struct inline_call *call,
		      unsigned modrm_at, uint8_t rex)
{
	const uint8_t modrm = (uint8_t)((call->bytes[modrm_at] & 0xc7) | (R11 & 7) << 3);
	const unsigned rest = modrm_at + 1;

	emit_bytes(emitter, (const uint8_t[]){REX_WR | (rex & 3), 0x8b, modrm}, 3);
	if (call->relative)
		emit_relative(emitter, call->target, 0);
	else
		emit_bytes(emitter, call->bytes + rest, call->length - rest);
}

/* cmp %reg, %gs:target */
static void emit_compare(struct emitter *emitter, unsigned reg)
{
	const uint8_t rex = (uint8_t)(REX | 8 | (reg >= EXTENDED ? 4 : 0));

	emit_bytes(
		emitter,
		(const uint8_t[]){0x65, rex, 0x39, (uint8_t)((reg & 7) << 3 | 4), 0x25},
		5);
	emit_slot(emitter, 0);
}

/* Behind the branch: counts, and goes on to the target. */
static void emit_hit(struct emitter *emitter, const uint8_t operation[4])
{
	probe_emit(emitter, PROBE_COUNT, 0, 0, PLAN_POSITION_PROBE);
	emit_bytes(emitter, operation, sizeof(call_word));
	emit_slot(emitter, 0);
	if (emitter->cached)
		vector_push(emitter->cached, (uint32_t)emitter->count);
}

bool inline_cache_emit(struct emitter *emitter, const struct inline_call *call,
		       uint32_t *ret_miss)
{
	enum { NOTRACK = 0x3e, INDIRECT = 0xff, DIGIT = 2, REGISTER = 3 };
	unsigned at = *call->bytes == NOTRACK;
	uint8_t rex = (call->bytes[at] & 0xf0) == REX ? call->bytes[at++] : 0;
	uint8_t modrm;

	if (call->bytes[at++] != INDIRECT)
		return false;
	modrm = call->bytes[at];
	if ((modrm >> 3 & 7) != DIGIT)
		return false;
	if (modrm >> 6 == REGISTER) {
		unsigned reg = (modrm & 7) | (rex & 1 ? EXTENDED : 0);

		if (reg == RSP)
			return false;
		emit_compare(emitter, reg);
	} else {
		if (!call->linkage)
			emit_kept(emitter, keep);
		emit_load(emitter, call, at, rex);
		emit_compare(emitter, R11);
		if (!call->linkage)
			emit_kept(emitter, reload);
	}
	emit_bytes(emitter, branch, sizeof(branch));
	*ret_miss = (uint32_t)emitter->count;
	emit_word32(emitter, 0);
	emit_hit(emitter, call_word);
	return true;
}

void inline_cache_emit_link(struct emitter *emitter, uint64_t word, uint64_t stub)
{
	/* mov word(%rip), %r11 */
	emit_bytes(emitter, (const uint8_t[]){0x4c, 0x8b, 0x1d}, 3);
	emit_relative(emitter, word, 0);
	emit_compare(emitter, R11);
	emit_bytes(emitter, branch, sizeof(branch));
	emit_relative(emitter, stub, 0);
	emit_hit(emitter, jump_word);
}

/* Whether the call that ends here has kept r11. */
static bool has_kept(const uint8_t *end)
{
	return !memcmp(end - TAIL - RELOAD, reload, sizeof(reload));
}

/* Offset of a word of the cache from the end of its call. */
static unsigned word_at(const uint8_t *end, enum inline_cache_word word)
{
	enum { WORD = 4 };

	switch (word) {
	case INLINE_TARGET:
		return TAIL + (has_kept(end) ? RELOAD : 0) + WORD;
	case INLINE_COUNT:
		return CALL + COUNT - PROBE_COUNT_SLOT;
	default:
		return WORD;
	}
}

static uint32_t displacement_of(const uint8_t *end, enum inline_cache_word word)
{
	uint32_t displacement;

	memcpy(&displacement, end - word_at(end, word), sizeof(displacement));
	return displacement;
}

void inline_cache_place(struct plan *plan, const struct emit_ends *ends)
{
	plan->inline_slot = plan->slot_count;
	plan->inline_count = (uint32_t)ends->count;
	vector_for_each (ends, end) {
		uint8_t *code = plan->code.items + *end;

		for (unsigned word = INLINE_TARGET; word <= INLINE_BODY; word++) {
			uint32_t at = (plan->slot_count + word) * plan->slot_size;

			memcpy(code - word_at(code, word), &at, sizeof(at));
		}
		plan->slot_count += INLINE_WORDS;
	}
}

bool inline_cache_is_call(const uint8_t *code, size_t size)
{
	const uint8_t *end = code + size;

	return size >= COMPARE + TAIL &&
	       !memcmp(end - CALL, call_word, sizeof(call_word)) &&
	       probe_at(end - CALL - COUNT, COUNT) == PROBE_COUNT &&
	       !memcmp(end - TAIL, branch, sizeof(branch));
}

/* Target of the branch whose displacement of 4 bytes is at an offset of plan.code. */
static uint32_t led_to(const struct plan *plan, uint32_t offset)
{
	int32_t distance;

	memcpy(&distance, plan->code.items + offset, sizeof(distance));
	return offset + (uint32_t)sizeof(distance) + (uint32_t)distance;
}

/* Whether a call with a cache returns to the offset. */
static bool ends_at(const struct plan *plan, uint32_t offset)
{
	enum { LONGEST = RELOAD + COMPARE + TAIL };

	return offset >= plan->gates_size + LONGEST && offset <= plan->code.count &&
	       inline_cache_is_call(plan->code.items + offset - LONGEST, LONGEST);
}

/* For a call made behind the blocks: the offset to which the call with the cache returns;
 * else the offset itself. */
static uint32_t cached_return(const struct plan *plan, uint32_t offset)
{
	enum { LONGEST = 15 };
	uint32_t other, start;

	if (offset + PLAN_JUMP > plan->code.count || plan->code.items[offset] != 0xe9)
		return offset;
	other = led_to(plan, offset + 1);
	if (!ends_at(plan, other))
		return offset;
	start = led_to(plan, other - TAIL + sizeof(branch));
	return offset - start <= LONGEST ? other : offset;
}

bool inline_cache_of(const struct plan *plan, uint32_t return_offset, uint32_t *ret_slot)
{
	const uint32_t offset = cached_return(plan, return_offset);
	const uint8_t *end = plan->code.items + offset;
	uint32_t target, size = plan->slot_size;

	if (!ends_at(plan, offset))
		return false;
	target = displacement_of(end, INLINE_TARGET);
	*ret_slot = (target - plan->counters_at) / size;
	return displacement_of(end, INLINE_COUNT) == target + INLINE_COUNT * size &&
	       displacement_of(end, INLINE_BODY) == target + INLINE_BODY * size &&
	       *ret_slot - plan->inline_slot < plan->inline_count * INLINE_WORDS;
}

bool inline_cache_has_compared(const struct plan *plan, uint32_t code_offset,
			       uint32_t *ret_slot)
{
	static const uint8_t left[] = {CALL, COUNT + CALL, TAIL, RELOAD + TAIL};

	for (unsigned i = 0; i < sizeof(left); i++) {
		uint32_t end = code_offset + left[i];

		if (ends_at(plan, end) &&
		    (left[i] <= TAIL || has_kept(plan->code.items + end)))
			return inline_cache_of(plan, end, ret_slot);
	}
	return false;
}

/* Offsets in a cache of a link. */
enum {
	LINK_COMPARE = INLINE_LINK_SIZE - TAIL - COMPARE,
	LINK_BRANCH = INLINE_LINK_SIZE - TAIL,
	LINK_COUNT = LINK_BRANCH + BRANCH,
	LINK_JUMP = LINK_COUNT + COUNT
};

uint32_t inline_cache_of_link(const struct plan *plan, uint32_t code)
{
	const uint8_t *end = plan->code.items + code + INLINE_LINK_SIZE;

	return (displacement_of(end, INLINE_TARGET) - plan->counters_at) /
	       plan->slot_size;
}

bool inline_cache_has_compared_link(uint32_t code, uint32_t code_offset)
{
	return code_offset - code == LINK_BRANCH || code_offset - code == LINK_COUNT ||
	       code_offset - code == LINK_JUMP;
}

void inline_cache_locate_link(const struct plan *plan, uint32_t code,
			      uint32_t code_offset, uint64_t stub,
			      struct plan_position *place)
{
	const uint8_t *end = plan->code.items + code + INLINE_LINK_SIZE;
	const uint32_t at = code_offset - code;

	if (at && at != LINK_COMPARE &&
	    !inline_cache_has_compared_link(code, code_offset))
		return;
	place->kind = PLAN_POSITION_CALL_DONE;
	place->original = stub;
	if (at == LINK_JUMP)
		place->recounted = displacement_of(end, INLINE_COUNT) - plan->counters_at;
}

void inline_cache_locate(const struct plan *plan, uint32_t code, uint32_t size,
			 uint32_t code_offset, struct plan_position *place)
{
	const uint8_t *end = plan->code.items + code + size;
	const uint32_t left = code + size - code_offset;

	place->kind = PLAN_POSITION_MOVED;
	if (left == CALL)
		place->recounted = displacement_of(end, INLINE_COUNT) - plan->counters_at;
	if (has_kept(end) && code_offset > code && left > TAIL)
		place->kept = 1;
}
