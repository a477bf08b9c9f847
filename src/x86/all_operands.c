#include "x86/all_operands.h"

#include "base/array.h"
#include "x86/insn_class_decoded.h"

static const char *const register_names[ALL_OPERANDS_REGISTERS] = {
	"rax",   "rcx",   "rdx",   "rbx",   "rsp",   "rbp",   "rsi",   "rdi",
	"r8",    "r9",    "r10",   "r11",   "r12",   "r13",   "r14",   "r15",
	"rip",   "flags", "fs",    "gs",    "x87",   "mxcsr", "other", NULL,
	"k0",    "k1",    "k2",    "k3",    "k4",    "k5",    "k6",    "k7",
	"xmm0",  "xmm1",  "xmm2",  "xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7",
	"xmm8",  "xmm9",  "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
	"xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
	"xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",
};

const char *all_operands_register_name(unsigned int number)
{
	return number < ALL_OPERANDS_REGISTERS && register_names[number]
		       ? register_names[number]
		       : "?";
}

/* Numbers of registers by class: that of the first one, and whether they differ. */
static const struct {
	uint8_t first;
	bool numbered;
} classes[ZYDIS_REGCLASS_MAX_VALUE + 1] = {
	[ZYDIS_REGCLASS_INVALID] = {ALL_OPERANDS_NONE, false},
	[ZYDIS_REGCLASS_X87] = {ALL_OPERANDS_X87, false},
	[ZYDIS_REGCLASS_MMX] = {ALL_OPERANDS_X87, false},
	[ZYDIS_REGCLASS_XMM] = {ALL_OPERANDS_VECTOR0, true},
	[ZYDIS_REGCLASS_YMM] = {ALL_OPERANDS_VECTOR0, true},
	[ZYDIS_REGCLASS_ZMM] = {ALL_OPERANDS_VECTOR0, true},
	[ZYDIS_REGCLASS_FLAGS] = {ALL_OPERANDS_FLAGS, false},
	[ZYDIS_REGCLASS_IP] = {ALL_OPERANDS_RIP, false},
	[ZYDIS_REGCLASS_MASK] = {ALL_OPERANDS_K0, true},
};

static uint8_t number_of(ZydisRegister name)
{
	ZydisRegister whole =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
	ZydisRegisterClass class = ZydisRegisterGetClass(name);

	if (name == ZYDIS_REGISTER_NONE)
		return ALL_OPERANDS_NONE;
	if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
		return (uint8_t)(whole - ZYDIS_REGISTER_RAX);
	if (name == ZYDIS_REGISTER_FS || name == ZYDIS_REGISTER_GS)
		return name == ZYDIS_REGISTER_FS ? ALL_OPERANDS_FS : ALL_OPERANDS_GS;
	if (name == ZYDIS_REGISTER_MXCSR)
		return ALL_OPERANDS_MXCSR;
	if (name == ZYDIS_REGISTER_X87CONTROL || name == ZYDIS_REGISTER_X87STATUS ||
	    name == ZYDIS_REGISTER_X87TAG)
		return ALL_OPERANDS_X87;
	if (!classes[class].first)
		return ALL_OPERANDS_OTHER;
	return classes[class].numbered
		       ? (uint8_t)(classes[class].first + ZydisRegisterGetId(name))
		       : classes[class].first;
}

static void set_bit(uint64_t *registers, uint8_t number)
{
	if (number < ALL_OPERANDS_REGISTERS)
		*registers |= 1ull << number;
}

static bool is_accessed(const ZydisDecodedInstruction *zydis,
			const ZydisDecodedOperand *operand)
{
	ZydisInstructionCategory category = zydis->meta.category;

	return (operand->mem.type == ZYDIS_MEMOP_TYPE_MEM ||
		operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) &&
	       category != ZYDIS_CATEGORY_NOP && category != ZYDIS_CATEGORY_WIDENOP &&
	       category != ZYDIS_CATEGORY_PREFETCH && category != ZYDIS_CATEGORY_CET;
}

static void take_memory(const ZydisDecodedInstruction *zydis,
			const ZydisDecodedOperand *operand, uint64_t address,
			struct all_operands *all, struct operand *row)
{
	row->kind =
		is_accessed(zydis, operand) ? ALL_OPERANDS_MEMORY : ALL_OPERANDS_ADDRESS;
	row->base = number_of(operand->mem.base);
	row->index = number_of(operand->mem.index);
	row->scale = operand->mem.scale;
	row->value = operand->mem.disp.value;
	row->gathered = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
	row->segment = operand->mem.segment == ZYDIS_REGISTER_FS   ? ALL_OPERANDS_FS
		       : operand->mem.segment == ZYDIS_REGISTER_GS ? ALL_OPERANDS_GS
								   : ALL_OPERANDS_NONE;
	if (row->base == ALL_OPERANDS_RIP) {
		row->value += (int64_t)(address + zydis->length);
		all->relative = true;
	}
	set_bit(&all->reads, row->base);
	set_bit(&all->reads, row->index);
	set_bit(&all->reads, row->segment);
	if (row->kind == ALL_OPERANDS_MEMORY)
		row->memory = all->memory_count++;
	else
		row->reads = row->writes = false;
}

static void take_register(struct all_operands *all, struct operand *row,
			  const ZydisDecodedOperand *operand)
{
	row->kind = ALL_OPERANDS_REGISTER;
	row->number = number_of(operand->reg.value);
	if (row->reads)
		set_bit(&all->reads, row->number);
	if (row->writes)
		set_bit(&all->writes, row->number);
}

static void take_operand(const ZydisDecodedInstruction *zydis,
			 const ZydisDecodedOperand *operand, uint64_t address,
			 struct all_operands *all)
{
	struct operand *row = &all->items[all->count];

	*row = (struct operand){
		.reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.implicit = operand->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT,
		.bits = operand->size,
		.number = ALL_OPERANDS_NONE,
		.base = ALL_OPERANDS_NONE,
		.index = ALL_OPERANDS_NONE,
		.segment = ALL_OPERANDS_NONE,
	};
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		take_register(all, row, operand);
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		take_memory(zydis, operand, address, all, row);
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		row->kind = ALL_OPERANDS_IMMEDIATE;
		row->value = operand->imm.value.s;
		if (operand->imm.is_relative) {
			row->value += (int64_t)(address + zydis->length);
			all->relative = true;
		}
		break;
	default: /* a far pointer: not in 64-bit code */
		return;
	}
	all->count++;
}

static void take_flags(const ZydisDecodedInstruction *zydis, struct all_operands *all)
{
	const ZydisAccessedFlags *flags = zydis->cpu_flags;

	if (!flags)
		return;
	all->flags_read = flags->tested;
	all->flags_written =
		flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
}

bool all_operands_read(const uint8_t *bytes, size_t available, uint64_t address,
		       struct all_operands *ret_operands)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	struct insn_class traits;
	ZydisDecoder decoder;

	_Static_assert((int)ZYDIS_MAX_OPERAND_COUNT <= (int)ALL_OPERANDS_MAX,
		       "all operands have room");
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
	if (!ZYAN_SUCCESS(
		    ZydisDecoderDecodeFull(&decoder, bytes, available, &zydis, operands)))
		return false;
	insn_class_of(&zydis, operands, &traits);
	*ret_operands = (struct all_operands){
		.mnemonic = (uint16_t)zydis.mnemonic,
		.class = traits.class,
		.length = zydis.length,
		.map = (uint8_t)zydis.opcode_map,
		.opcode = zydis.opcode,
		.repeated = traits.repeated,
		.locked = (zydis.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0,
	};
	for (unsigned int i = 0; i < zydis.operand_count; i++) {
		take_operand(&zydis, &operands[i], address, ret_operands);
		if (i + 1 == zydis.operand_count_visible)
			ret_operands->visible = ret_operands->count;
	}
	take_flags(&zydis, ret_operands);
	return true;
}
