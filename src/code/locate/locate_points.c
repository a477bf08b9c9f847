#include "code/locate/locate_points.h"

#include "base/search.h"
#include "code/emit/emit.h"
#include "x86/decode.h"

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
