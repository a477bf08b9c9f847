#include "code/locate/locate_points.h"

#include "base/search.h"
#include "code/emit/emit.h"
#include "x86/decode.h"

#include <string.h>

/* Copies one instruction; an operand relative to it leads to the same place as before. */
static size_t copy_one(const struct plan *plan, const uint8_t *code, uint32_t at,
		       uint32_t end, struct emitter *emitter)
{
	struct instruction instruction;
	size_t before, behind;

	if (!decode_instruction(code, end - at, plan->code_address + at, &instruction))
		return 0;
	before = instruction.displacement;
	if (!before) {
		emit_bytes(emitter, code, instruction.length);
		return instruction.length;
	}
	behind = instruction.length - before - 4u;
	emit_bytes(emitter, code, before);
	emit_relative(emitter, instruction.target, behind);
	emit_bytes(emitter, code + before + 4, behind);
	return instruction.length;
}

size_t plan_finish_point(const struct plan *plan, const uint8_t *code,
			 uint32_t code_offset, uint32_t end, uint64_t address,
			 uint8_t *block, size_t capacity)
{
	struct emitter emitter = {
		.code = block, .count = 8, .capacity = capacity, .address = address};

	/* Branches in a point lead forwards in it, or to its end. */
	while (code_offset < end) {
		size_t size = copy_one(plan, code, code_offset, end, &emitter);

		if (!size)
			return 0;
		code += size;
		code_offset += (uint32_t)size;
	}
	emit_bytes(&emitter, (const uint8_t[]){0xff, 0x25}, 2);
	emit_relative(&emitter, address, 0);
	return emitter.full || emitter.reason ? 0 : emitter.count;
}

bool plan_check_at(const struct plan *plan, uint32_t code_offset, uint32_t *ret_then)
{
	const struct plan_check *checks = plan->points.checks.items;
	size_t i = search_first(plan->points.checks.count, middle,
				checks[middle].at < code_offset);

	if (i == plan->points.checks.count || checks[i].at != code_offset)
		return false;
	*ret_then = checks[i].then;
	return true;
}

/* Instructions of recipe_write.c. */
static const uint8_t lea[] = {0x48, 0x8d, 0x64, 0x24},
		     lea_far[] = {0x48, 0x8d, 0xa4, 0x24},
		     flags_saved[] = {0x9f, 0x0f, 0x90, 0xc0};

static bool begins_with(const uint8_t *code, size_t size, const uint8_t *bytes,
			size_t count)
{
	return size >= count && !memcmp(code, bytes, count);
}

/* push of a register; returns its length, 0 if it is none. */
static size_t read_push(const uint8_t *code, size_t size, struct plan_point_front *front)
{
	const size_t prefix = size && code[0] == 0x41;

	if (size < prefix + 1 || (code[prefix] & 0xf8) != 0x50)
		return 0;
	const unsigned number = (code[prefix] & 7u) + (prefix ? 8 : 0);

	front->depth += 8;
	if (front->flags) {
		front->flags_from = front->depth;
	} else {
		front->saved |= (uint16_t)(1u << number);
		front->from[number] = front->depth;
	}
	return prefix + 1;
}

static size_t read_lea(const uint8_t *code, size_t size, struct plan_point_front *front)
{
	int32_t distance;

	if (begins_with(code, size, lea, sizeof(lea)) && size > sizeof(lea)) {
		front->depth -= (uint32_t)(int32_t)(int8_t)code[sizeof(lea)];
		return sizeof(lea) + 1;
	}
	if (!begins_with(code, size, lea_far, sizeof(lea_far)) ||
	    size < sizeof(lea_far) + sizeof(distance))
		return 0;
	memcpy(&distance, code + sizeof(lea_far), sizeof(distance));
	front->depth -= (uint32_t)distance;
	return sizeof(lea_far) + sizeof(distance);
}

/* A push behind the front. */
static void note_push(struct plan_point_front *front, unsigned int number)
{
	front->depth += 8;
	if (!number && front->flags && !front->flags_from) {
		front->flags_from = front->depth;
	} else if (!(front->saved >> number & 1)) {
		front->saved |= (uint16_t)(1u << number);
		front->from[number] = front->depth;
	}
}

/* A pop; of what such a push has put there if more is on the stack than by the front. */
static void note_pop(struct plan_point_front *front, uint32_t by_front)
{
	for (unsigned int number = 0; front->depth > by_front && number < 16; number++)
		if (front->from[number] == front->depth)
			front->saved &= (uint16_t) ~(1u << number);
	if (front->depth > by_front && front->flags_from == front->depth)
		front->flags_from = 0;
	front->depth -= 8;
}

/* What comes behind the front may lower rsp for a while, for a call that is made seldom:
 * recipe_buffer.c. Branches pass over all of that or nothing. */
static void read_rest(const uint8_t *code, size_t size, struct plan_point_front *front)
{
	const uint32_t by_front = front->depth;
	struct instruction instruction;

	for (size_t at = 0; at < size; at += instruction.length) {
		if (!decode_instruction(code + at, size - at, 0, &instruction))
			return;
		const size_t last = at + instruction.length - 1u;
		const bool alone = instruction.length == 1 ||
				   (instruction.length == 2 && code[at] == 0x41);

		if (alone && (code[last] & 0xf8) == 0x50)
			note_push(front, (code[last] & 7u) + (at < last ? 8 : 0));
		else if (alone && (code[last] & 0xf8) == 0x58)
			note_pop(front, by_front);
		else
			read_lea(code + at, size - at, front);
	}
}

void plan_read_front(const uint8_t *code, size_t size, struct plan_point_front *ret_front)
{
	struct plan_point_front front = {0};
	size_t at = 0, length = 1;

	while (at < size && length) {
		length = front.depth ? 0 : read_lea(code + at, size - at, &front);
		if (!length && !front.flags_from)
			length = read_push(code + at, size - at, &front);
		if (!length && !front.flags &&
		    begins_with(code + at, size - at, flags_saved, sizeof(flags_saved))) {
			front.flags = true;
			length = sizeof(flags_saved);
		}
		at += length;
	}
	read_rest(code + at, size - at, &front);
	*ret_front = front;
}
