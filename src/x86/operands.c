#include "x86/operands.h"

#include <Zydis/Zydis.h>

enum { RSP = 4, RBP = 5, WHOLE = 32 /* bits: the upper half becomes 0 */ };

/* OPERANDS_NO_REGISTER: none of the general registers. */
static int number_of(ZydisRegister name)
{
	ZydisRegister whole =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? (int)(whole - ZYDIS_REGISTER_RAX)
		       : OPERANDS_NO_REGISTER;
}

static uint16_t bit_of(ZydisRegister name)
{
	int number = number_of(name);

	return number < 0 ? 0 : (uint16_t)(1u << number);
}

/* xor %a, %a and the like: the old value does not matter. */
static bool clears_register(const ZydisDecodedInstruction *zydis,
			    const ZydisDecodedOperand *operands)
{
	return (zydis->mnemonic == ZYDIS_MNEMONIC_XOR ||
		zydis->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[0].reg.value == operands[1].reg.value &&
	       operands[0].size >= WHOLE;
}

/* Their destination stays as it is if the source is 0. */
static bool keeps_some(const ZydisDecodedInstruction *zydis)
{
	return zydis->mnemonic == ZYDIS_MNEMONIC_BSF ||
	       zydis->mnemonic == ZYDIS_MNEMONIC_BSR;
}

static void note_registers(const ZydisDecodedInstruction *zydis,
			   const ZydisDecodedOperand *operands, struct operands *all)
{
	for (unsigned i = 0; i < zydis->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			all->read |=
				bit_of(operand->mem.base) | bit_of(operand->mem.index);
		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			all->changed |= bit_of(operand->reg.value);
		if (operand->actions == ZYDIS_OPERAND_ACTION_WRITE &&
		    operand->size >= WHOLE && !keeps_some(zydis))
			all->written |= bit_of(operand->reg.value);
		else
			all->read |= bit_of(operand->reg.value);
	}
	if (clears_register(zydis, operands)) {
		all->written |= bit_of(operands[0].reg.value);
		all->read &= (uint16_t)~bit_of(operands[0].reg.value);
	}
	/* None of a repeated instruction's effects need happen. */
	if (zydis->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) {
		all->read |= all->written;
		all->written = 0;
	}
}

static bool has_address(const ZydisDecodedInstruction *zydis,
			const ZydisDecodedOperand *operand)
{
	return operand->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       zydis->mnemonic != ZYDIS_MNEMONIC_XLAT &&
	       zydis->mnemonic != ZYDIS_MNEMONIC_ENTER;
}

/* What a memory operand that no byte of the instruction names is relative to the stack
 * pointer before it. */
static void place_on_stack(const ZydisDecodedInstruction *zydis,
			   struct operands_memory *memory)
{
	memory->stack = true;
	if (zydis->mnemonic == ZYDIS_MNEMONIC_LEAVE)
		memory->base = RBP;
	else if (memory->writes)
		memory->displacement = -(int64_t)memory->size;
}

/* pop to memory by rsp has an address that is computed behind the change of rsp. */
static int64_t late_change(const ZydisDecodedInstruction *zydis,
			   const struct operands_memory *memory)
{
	return zydis->mnemonic == ZYDIS_MNEMONIC_POP && memory->base == RSP ? memory->size
									    : 0;
}

static struct operands_memory read_memory(const ZydisDecodedInstruction *zydis,
					  const ZydisDecodedOperand *operand)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;
	struct operands_memory memory = {
		.size = (uint16_t)(operand->size / 8),
		.reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.odd = !has_address(zydis, operand),
		.narrow = zydis->address_width == WHOLE,
		.base = (int8_t)number_of(mem->base),
		.index = (int8_t)number_of(mem->index),
		.scale = mem->scale,
		.displacement = mem->disp.value,
	};

	if (mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP)
		memory.base = OPERANDS_RIP;
	if (mem->segment == ZYDIS_REGISTER_FS)
		memory.segment = OPERANDS_FS;
	if (mem->segment == ZYDIS_REGISTER_GS)
		memory.segment = OPERANDS_GS;
	if (zydis->meta.category == ZYDIS_CATEGORY_XSAVE ||
	    zydis->meta.category == ZYDIS_CATEGORY_XSAVEOPT || memory.odd)
		memory.size = 0;
	memory.repeated =
		zydis->meta.category == ZYDIS_CATEGORY_STRINGOP &&
		zydis->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
				     ZYDIS_ATTRIB_HAS_REPNE);
	if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	    (memory.base == RSP || zydis->mnemonic == ZYDIS_MNEMONIC_LEAVE))
		place_on_stack(zydis, &memory);
	else
		memory.displacement += late_change(zydis, &memory);
	return memory;
}

static int8_t change_of_stack(const ZydisDecodedInstruction *zydis)
{
	const int8_t size = (int8_t)(zydis->operand_width / 8);

	if (zydis->meta.category == ZYDIS_CATEGORY_PUSH)
		return (int8_t)-size;
	return zydis->meta.category == ZYDIS_CATEGORY_POP &&
			       zydis->mnemonic != ZYDIS_MNEMONIC_LEAVE
		       ? size
		       : 0;
}

bool operands_read(const uint8_t *bytes, size_t size, struct operands *ret_operands)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
	if (!ZYAN_SUCCESS(
		    ZydisDecoderDecodeFull(&decoder, bytes, size, &zydis, operands)))
		return false;
	*ret_operands = (struct operands){0};
	note_registers(&zydis, operands, ret_operands);
	ret_operands->stack_change = change_of_stack(&zydis);
	if (zydis.meta.category == ZYDIS_CATEGORY_NOP ||
	    zydis.meta.category == ZYDIS_CATEGORY_WIDENOP ||
	    zydis.meta.category == ZYDIS_CATEGORY_CET ||
	    zydis.meta.category == ZYDIS_CATEGORY_PREFETCH)
		return true;
	for (unsigned i = 0; i < zydis.operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM ||
		     operands[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB) &&
		    operands[i].actions &&
		    ret_operands->memory_count < OPERANDS_MEMORY_MAX)
			ret_operands->memory[ret_operands->memory_count++] =
				read_memory(&zydis, &operands[i]);
	return true;
}
