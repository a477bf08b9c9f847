#include "advise/code.h"

#include "base/array.h"
#include "x86/decode.h"
#include "x86/operands.h"

#include <string.h>

/* Registers that a called function keeps: rbx, rsp, rbp, r12 to r15. */
enum { KEPT = 1 << 3 | 1 << 4 | 1 << 5 | 0xf << 12 };

struct advice_instruction advice_instruction_at(const struct annotation *annotation,
						uint32_t index)
{
	const struct cfg *cfg = &annotation->cfg;
	const struct cfg_instruction *row = &cfg->instructions.items[index];

	return (struct advice_instruction){cfg->address + row->offset, row,
					   cfg->bytes + row->offset};
}

void advice_add_callee(const struct annotation *annotation,
		       const struct advice_instruction *call, struct text *out)
{
	struct instruction instruction;
	struct text name = {0};

	if (!decode_instruction(call->bytes, call->row->length, call->address,
				&instruction) ||
	    !instruction.target)
		return;
	annotation_add_name(annotation, instruction.target, &name);
	if (name.data && *name.data != '+')
		text_add_bytes(out, name.data, strcspn(name.data, "@+"));
	text_deinit(&name);
}

bool advice_is_function(const char *name, const char *base)
{
	const size_t length = strlen(base);

	if (!strncmp(name, "__", 2))
		name += 2;
	return !strncmp(name, base, length) &&
	       (!name[length] || name[length] == '_' || name[length] == '@');
}

static bool is_call(const struct cfg_instruction *row)
{
	return row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT ||
	       row->kind == CFG_KERNEL;
}

/* lea of an address in the module */
static bool is_address(const struct cfg_instruction *row)
{
	enum { LEA = 0x8d };

	return row->relative && !row->map && row->opcode == LEA;
}

/* What an instruction does with a register; false: nothing. */
static bool find_origin(const struct advice_instruction *at, uint32_t index, int number,
			struct advice_origin *ret_origin)
{
	struct decode_transfer transfer;

	*ret_origin = (struct advice_origin){.source = ADVICE_MADE, .index = index};
	if (is_call(at->row)) {
		ret_origin->source = ADVICE_UNKNOWN;
		return !(KEPT >> number & 1);
	}
	if (!decode_transfer(at->bytes, at->row->length, &transfer)) {
		ret_origin->source = ADVICE_UNKNOWN;
		return true;
	}
	if (!(transfer.written >> number & 1))
		return false;
	if (transfer.to != DECODE_REGISTER || transfer.target != number)
		return true;
	if (transfer.from == DECODE_CONSTANT) {
		ret_origin->source = ADVICE_FIXED;
		ret_origin->constant = transfer.constant;
	} else if (transfer.from == DECODE_REGISTER) {
		ret_origin->source = ADVICE_FROM;
		ret_origin->number = (int8_t)transfer.source;
	} else if (transfer.from == DECODE_MEMORY && transfer.base >= 0) {
		ret_origin->source = ADVICE_SLOT;
		ret_origin->number = transfer.base;
		ret_origin->displacement = transfer.displacement;
	} else if (is_address(at->row)) {
		ret_origin->source = ADVICE_FIXED;
		ret_origin->constant = (int64_t)at->row->target;
	}
	return true;
}

/* The one block that leads to a block; ROUTE_OUTSIDE: there are none or several. */
static uint32_t only_before(const struct routes *routes, uint32_t block)
{
	uint32_t found = ROUTE_OUTSIDE;

	vector_for_each (routes, route) {
		if (route->to != block || (route->known && !route->count))
			continue;
		if (found != ROUTE_OUTSIDE || route->from == ROUTE_OUTSIDE ||
		    route->from == block)
			return ROUTE_OUTSIDE;
		found = route->from;
	}
	return found;
}

enum { BLOCKS_BACK = 16 };

struct advice_origin advice_origin_of(const struct annotation *annotation,
				      const struct routes *routes, uint32_t block,
				      uint32_t index, int number)
{
	const struct cfg_block *blocks = annotation->cfg.blocks.items;
	struct advice_origin origin;

	for (int steps = 0; steps < BLOCKS_BACK; steps++) {
		while (index > blocks[block].first) {
			const struct advice_instruction at =
				advice_instruction_at(annotation, --index);

			if (find_origin(&at, index, number, &origin))
				return origin;
		}
		block = only_before(routes, block);
		if (block == ROUTE_OUTSIDE)
			break;
		index = blocks[block].first + blocks[block].count;
	}
	return (struct advice_origin){.source = ADVICE_UNKNOWN};
}

bool advice_is_in(const struct trips *trips, uint32_t block, uint32_t loop)
{
	uint32_t at = trips->innermost[block];

	while (at != TRIP_NONE && at != loop)
		at = trips->loops.items[at].parent;
	return at == loop;
}

/* Whether `test` holds of any instruction of a loop. */
static bool any_in_loop(const struct annotation *annotation, const struct trips *trips,
			uint32_t loop,
			bool (*test)(const struct advice_instruction *at,
				     const struct advice_origin *of),
			const struct advice_origin *of)
{
	for (uint32_t b = 0; b < annotation->blocks.count; b++) {
		const struct cfg_block *block = &annotation->cfg.blocks.items[b];

		if (!advice_is_in(trips, b, loop))
			continue;
		for (uint32_t i = block->first; i < block->first + block->count; i++) {
			const struct advice_instruction at =
				advice_instruction_at(annotation, i);

			if (test(&at, of))
				return true;
		}
	}
	return false;
}

static bool changes_register(const struct advice_instruction *at,
			     const struct advice_origin *of)
{
	struct operands operands;

	if (is_call(at->row) && !(KEPT >> of->number & 1))
		return true;
	return !operands_read(at->bytes, at->row->length, &operands) ||
	       operands.changed >> of->number & 1;
}

bool advice_loop_changes(const struct annotation *annotation, const struct trips *trips,
			 uint32_t loop, int number)
{
	return any_in_loop(annotation, trips, loop, changes_register,
			   &(struct advice_origin){.number = (int8_t)number});
}

static bool stores_to(const struct advice_instruction *at, const struct advice_origin *of)
{
	struct operands operands;

	if (!operands_read(at->bytes, at->row->length, &operands))
		return true;
	for (int i = 0; i < operands.memory_count; i++)
		if (operands.memory[i].writes && operands.memory[i].base == of->number &&
		    operands.memory[i].displacement == of->displacement)
			return true;
	return false;
}

bool advice_loop_stores(const struct annotation *annotation, const struct trips *trips,
			uint32_t loop, int base, int64_t displacement)
{
	return any_in_loop(annotation, trips, loop, stores_to,
			   &(struct advice_origin){.number = (int8_t)base,
						   .displacement = displacement});
}
