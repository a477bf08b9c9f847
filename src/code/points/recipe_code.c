/* Encoding of instructions in recipes. Source: Intel SDM volume 2, chapter 2. */
#include "code/points/recipe_code.h"

enum { GS = 0x65, REX = 0x40, REX_W = 8, SIB = 4, NO_INDEX = 4, NO_BASE = 5 };

static void write_opcode(struct emitter *emitter, uint16_t opcode)
{
	if (opcode > UINT8_MAX)
		emit_byte(emitter, (uint8_t)(opcode >> 8));
	emit_byte(emitter, (uint8_t)opcode);
}

/* A REX prefix is always written: then 4 to 7 are low bytes of registers, too. */
static void write_rex(struct emitter *emitter, bool wide, int reg, int index, int base)
{
	emit_byte(emitter, (uint8_t)(REX | (wide ? REX_W : 0) | (reg >> 3 & 1) << 2 |
				     (index >> 3 & 1) << 1 | (base >> 3 & 1)));
}

static uint8_t modrm_byte(unsigned mode, int reg, int rm)
{
	return (uint8_t)(mode << 6 | (unsigned)(reg & 7) << 3 | (unsigned)(rm & 7));
}

void recipe_op(struct recipe *recipe, uint16_t opcode, bool wide, int reg, int rm)
{
	write_rex(recipe->emitter, wide, reg, 0, rm);
	write_opcode(recipe->emitter, opcode);
	emit_byte(recipe->emitter, modrm_byte(3, reg, rm));
}

static void write_displacement(struct emitter *emitter, int32_t displacement)
{
	if (displacement == (int8_t)displacement)
		emit_byte(emitter, (uint8_t)displacement);
	else
		emit_word32(emitter, (uint32_t)displacement);
}

void recipe_op_memory(struct recipe *recipe, uint16_t opcode, bool wide, int reg,
		      int base, int32_t displacement)
{
	struct emitter *emitter = recipe->emitter;
	const unsigned mode = displacement == (int8_t)displacement ? 1 : 2;

	write_rex(emitter, wide, reg, 0, base);
	write_opcode(emitter, opcode);
	emit_byte(emitter, modrm_byte(mode, reg, base));
	if ((base & 7) == RSP)
		emit_byte(emitter, 0x24);
	write_displacement(emitter, displacement);
}

static uint8_t sib_byte(unsigned scale, int index, int base)
{
	unsigned bits = 0;

	while (1u << bits < scale)
		bits++;
	return (uint8_t)(bits << 6 | (unsigned)(index & 7) << 3 | (unsigned)(base & 7));
}

void recipe_op_indexed(struct recipe *recipe, uint16_t opcode, int reg, int base,
		       int index, unsigned scale, int32_t displacement)
{
	struct emitter *emitter = recipe->emitter;
	const unsigned mode = displacement == (int8_t)displacement ? 1 : 2;

	write_rex(emitter, true, reg, index, base);
	write_opcode(emitter, opcode);
	emit_byte(emitter, modrm_byte(mode, reg, SIB));
	emit_byte(emitter, sib_byte(scale, index, base));
	write_displacement(emitter, displacement);
}

void recipe_op_slot(struct recipe *recipe, uint16_t opcode, int reg, uint32_t slot,
		    int index)
{
	struct emitter *emitter = recipe->emitter;

	emit_byte(emitter, GS);
	write_rex(emitter, true, reg, index < 0 ? 0 : index, 0);
	write_opcode(emitter, opcode);
	emit_byte(emitter, modrm_byte(0, reg, SIB));
	emit_byte(emitter, index < 0 ? 0x25 : sib_byte(8, index, NO_BASE));
	emit_slot(emitter, recipe_place_of_slot(recipe, slot));
}

void recipe_op_word(struct recipe *recipe, uint16_t opcode, int reg, uint32_t slot,
		    int index)
{
	struct emitter *emitter = recipe->emitter;

	if (!recipe->place->layout->views) {
		recipe_op_slot(recipe, opcode, reg, slot, index);
		return;
	}
	const int base = recipe_take(recipe);

	recipe_op_bank(recipe, OP_LOAD, true, base, recipe->place->layout->self);
	write_rex(emitter, true, reg, index < 0 ? 0 : index, base);
	write_opcode(emitter, opcode);
	emit_byte(emitter, modrm_byte(2, reg, SIB));
	emit_byte(emitter, sib_byte(8, index < 0 ? NO_INDEX : index, base));
	emit_slot(emitter, recipe_place_of_slot(recipe, slot));
	recipe_give_back(recipe, base);
}

void recipe_op_bank(struct recipe *recipe, uint16_t opcode, bool wide, int reg,
		    uint32_t offset)
{
	struct emitter *emitter = recipe->emitter;

	emit_byte(emitter, GS);
	write_rex(emitter, wide, reg, 0, 0);
	write_opcode(emitter, opcode);
	emit_byte(emitter, modrm_byte(0, reg, SIB));
	emit_byte(emitter, 0x25);
	emit_word32(emitter, offset);
}

void recipe_call_word(struct recipe *recipe, uint32_t offset)
{
	emit_bytes(recipe->emitter, (const uint8_t[]){GS, 0xff, 0x14, 0x25}, 4);
	emit_word32(recipe->emitter, offset);
}

void recipe_move_constant(struct recipe *recipe, int to, int64_t constant)
{
	struct emitter *emitter = recipe->emitter;
	const bool is_unsigned = constant == (int64_t)(uint32_t)constant;

	if (is_unsigned || constant != (int32_t)constant) {
		write_rex(emitter, !is_unsigned, 0, 0, to);
		emit_byte(emitter, (uint8_t)(0xb8 | (to & 7)));
		emit_word32(emitter, (uint32_t)constant);
		if (!is_unsigned)
			emit_word32(emitter, (uint32_t)(constant >> 32));
		return;
	}
	write_rex(emitter, true, 0, 0, to);
	emit_byte(emitter, 0xc7);
	emit_byte(emitter, modrm_byte(3, 0, to));
	emit_word32(emitter, (uint32_t)constant);
}

void recipe_branch(struct recipe *recipe, uint8_t condition, int label)
{
	struct emitter *emitter = recipe->emitter;

	if (condition) {
		emit_byte(emitter, 0x0f);
		emit_byte(emitter, condition);
	} else {
		emit_byte(emitter, 0xe9);
	}
	vector_push(&recipe->branches,
		    ((struct recipe_branch){(uint32_t)emitter->count, label, false}));
	emit_word32(emitter, 0);
}

void recipe_branch_short(struct recipe *recipe, uint8_t condition, int label)
{
	enum { SHORT = 0x70 };
	struct emitter *emitter = recipe->emitter;

	emit_byte(emitter, SHORT | condition);
	vector_push(&recipe->branches,
		    ((struct recipe_branch){(uint32_t)emitter->count, label, true}));
	emit_byte(emitter, 0);
}

static void write_short(struct emitter *emitter, uint8_t opcode, int number)
{
	if (number > RDI)
		emit_byte(emitter, 0x41);
	emit_byte(emitter, (uint8_t)(opcode | (number & 7)));
}

void recipe_push(struct recipe *recipe, int number)
{
	write_short(recipe->emitter, 0x50, number);
}

void recipe_pop(struct recipe *recipe, int number)
{
	write_short(recipe->emitter, 0x58, number);
}
