#include "x86/decode.h"

#include "x86/length.h"

#include <Zydis/Zydis.h>
#include <string.h>

/* Instructions at an entry that must not be moved: they enter the kernel, change what
 * segments mean, or name their own place. For functions that are relocated whole see
 * is_odd in code/relocate/cfg.c. */
static const bool fixed_mnemonics[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
	[ZYDIS_MNEMONIC_SYSCALL] = true,  [ZYDIS_MNEMONIC_SYSENTER] = true,
	[ZYDIS_MNEMONIC_SYSRET] = true,   [ZYDIS_MNEMONIC_SYSEXIT] = true,
	[ZYDIS_MNEMONIC_INT] = true,      [ZYDIS_MNEMONIC_INT1] = true,
	[ZYDIS_MNEMONIC_INT3] = true,     [ZYDIS_MNEMONIC_HLT] = true,
	[ZYDIS_MNEMONIC_UD0] = true,      [ZYDIS_MNEMONIC_XBEGIN] = true,
	[ZYDIS_MNEMONIC_XABORT] = true,   [ZYDIS_MNEMONIC_XEND] = true,
	[ZYDIS_MNEMONIC_POPF] = true,     [ZYDIS_MNEMONIC_POPFQ] = true,
	[ZYDIS_MNEMONIC_IRET] = true,     [ZYDIS_MNEMONIC_IRETD] = true,
	[ZYDIS_MNEMONIC_IRETQ] = true,    [ZYDIS_MNEMONIC_WRFSBASE] = true,
	[ZYDIS_MNEMONIC_WRGSBASE] = true, [ZYDIS_MNEMONIC_LFS] = true,
	[ZYDIS_MNEMONIC_LGS] = true,      [ZYDIS_MNEMONIC_LSS] = true,
	[ZYDIS_MNEMONIC_ENCLU] = true,    [ZYDIS_MNEMONIC_SENDUIPI] = true,
	[ZYDIS_MNEMONIC_UIRET] = true,    [ZYDIS_MNEMONIC_FNSTENV] = true,
	[ZYDIS_MNEMONIC_FNSAVE] = true,   [ZYDIS_MNEMONIC_INSB] = true,
	[ZYDIS_MNEMONIC_INSW] = true,     [ZYDIS_MNEMONIC_INSD] = true,
	[ZYDIS_MNEMONIC_OUTSB] = true,    [ZYDIS_MNEMONIC_OUTSW] = true,
	[ZYDIS_MNEMONIC_OUTSD] = true,    [ZYDIS_MNEMONIC_IN] = true,
	[ZYDIS_MNEMONIC_OUT] = true,
};

static const ZydisDecoder *shared_decoder(void)
{
	static ZydisDecoder shared;
	static bool ready;

	/* Idempotent: two concurrent threads write the same bytes. */
	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		ZydisDecoderInit(&shared, ZYDIS_MACHINE_MODE_LONG_64,
				 ZYDIS_STACK_WIDTH_64);
		ZydisDecoderEnableMode(&shared, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
		__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	}
	return &shared;
}

static bool is_fixed(const ZydisDecodedInstruction *zydis)
{
	const uint64_t repeated =
		ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;

	if (zydis->attributes & (repeated | ZYDIS_ATTRIB_IS_PRIVILEGED))
		return true;
	if (zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return true;
	/* A write to a segment register; the same opcode is never anything else. */
	if (zydis->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && zydis->opcode == 0x8e)
		return true;
	return fixed_mnemonics[zydis->mnemonic];
}

static enum instruction_kind branch_kind(const ZydisDecodedInstruction *zydis)
{
	bool direct = zydis->raw.imm[0].is_relative;

	switch (zydis->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return direct ? INSTRUCTION_CALL : INSTRUCTION_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return INSTRUCTION_RETURN;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? INSTRUCTION_JUMP : INSTRUCTION_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_COND_BR:
		return zydis->opcode >= 0xe0 && zydis->opcode <= 0xe3
			       ? INSTRUCTION_LOOP
			       : INSTRUCTION_CONDITION;
	default:
		return INSTRUCTION_PLAIN;
	}
}

static void note_flags(const ZydisDecodedInstruction *zydis,
		       struct instruction *instruction)
{
	const ZydisAccessedFlags *flags = zydis->cpu_flags;

	if (!flags)
		return;
	instruction->flags_read = flags->tested & INSTRUCTION_STATUS_FLAGS;
	instruction->flags_written =
		(flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
		INSTRUCTION_STATUS_FLAGS;
}

/* RIP-relative operands and direct branches: where they lead. */
static void note_target(const ZydisDecodedInstruction *zydis,
			struct instruction *instruction)
{
	uint64_t end = instruction->address + instruction->length;

	if (zydis->raw.imm[0].is_relative) {
		instruction->target = end + (uint64_t)zydis->raw.imm[0].value.s;
		return;
	}
	if (!(zydis->attributes & ZYDIS_ATTRIB_HAS_MODRM))
		return;
	instruction->modrm = zydis->raw.modrm.offset;
	if (zydis->raw.modrm.mod != 0 || zydis->raw.modrm.rm != 5 ||
	    !zydis->raw.disp.size)
		return;
	/* EIP-relative operands are cut to 32 bits: compilers do not emit them. */
	if (zydis->address_width != 64 || zydis->raw.disp.size != 32)
		instruction->fixed = true;
	instruction->displacement = zydis->raw.disp.offset;
	instruction->target = end + (uint64_t)zydis->raw.disp.value;
}

/*
 * The operand of an indirect call is read after a return address has been pushed when the
 * call is emulated. One based on rsp can be moved by these 8 bytes if it has room for it,
 * and if it does not lie where the return address comes to lie.
 */
static void note_stack_operand(const ZydisDecodedInstruction *zydis,
			       struct instruction *instruction)
{
	bool extended = (zydis->attributes & ZYDIS_ATTRIB_HAS_REX) && zydis->raw.rex.B;
	bool memory = zydis->raw.modrm.mod != 3;

	if (zydis->raw.modrm.rm != 4 || extended)
		return;
	if (!memory) { /* call *%rsp */
		instruction->fixed = true;
		return;
	}
	if (zydis->raw.sib.base != 4)
		return;
	instruction->on_stack = true;
	if (zydis->address_width != 64 || zydis->raw.modrm.mod == 0 ||
	    zydis->raw.disp.value < 0 ||
	    zydis->raw.disp.value >
		    (zydis->raw.modrm.mod == 1 ? INT8_MAX : INT32_MAX) - 8)
		instruction->fixed = true;
}

static void take_decoded(const ZydisDecodedInstruction *zydis, const uint8_t *bytes,
			 uint64_t address, struct instruction *instruction)
{
	*instruction = (struct instruction){
		.address = address, .bytes = bytes, .length = zydis->length};
	instruction->fixed = is_fixed(zydis);
	instruction->kind = (uint8_t)branch_kind(zydis);
	note_flags(zydis, instruction);
	note_target(zydis, instruction);
	if (instruction->kind == INSTRUCTION_PLAIN)
		return;
	instruction->condition = zydis->opcode & 15;
	if (instruction->kind == INSTRUCTION_CALL_INDIRECT)
		note_stack_operand(zydis, instruction);
	/* With an operand size prefix, processors differ on what a branch does. */
	if (zydis->operand_width == 16 ||
	    ((zydis->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) &&
	     !(zydis->attributes & ZYDIS_ATTRIB_HAS_REX)))
		instruction->fixed = true;
	/* A relative branch of 16 bits, or a mnemonic of this category that is no branch.
	 */
	if (zydis->raw.imm[0].is_relative && zydis->raw.imm[0].size != 8 &&
	    zydis->raw.imm[0].size != 32)
		instruction->fixed = true;
}

/* Properties of common first opcode bytes. */
enum {
	COMMON = 1,       /* plain, and can be moved */
	COMMON_MODRM = 2, /* has a ModRM byte */
	COMMON_SETS = 4,  /* writes all status flags, and reads none; else neither */
	COMMON_GROUP = 8, /* but for its extensions 2 and 3 (adc, sbb) */
	COMMON_ZERO = 16, /* of its extensions only 0 */
};

static const uint8_t common[256] = {
	[0x00 ... 0x03] = COMMON | COMMON_MODRM | COMMON_SETS, /* add */
	[0x08 ... 0x0b] = COMMON | COMMON_MODRM | COMMON_SETS, /* or */
	[0x20 ... 0x23] = COMMON | COMMON_MODRM | COMMON_SETS, /* and */
	[0x28 ... 0x2b] = COMMON | COMMON_MODRM | COMMON_SETS, /* sub */
	[0x30 ... 0x33] = COMMON | COMMON_MODRM | COMMON_SETS, /* xor */
	[0x38 ... 0x3b] = COMMON | COMMON_MODRM | COMMON_SETS, /* cmp */
	[0x50 ... 0x5f] = COMMON,                              /* push, pop */
	[0x63] = COMMON | COMMON_MODRM,                        /* movsxd */
	[0x80 ... 0x81] = COMMON | COMMON_MODRM | COMMON_SETS | COMMON_GROUP,
	[0x83] = COMMON | COMMON_MODRM | COMMON_SETS | COMMON_GROUP,
	[0x84 ... 0x85] = COMMON | COMMON_MODRM | COMMON_SETS, /* test */
	[0x88 ... 0x8b] = COMMON | COMMON_MODRM,               /* mov */
	[0x8d] = COMMON | COMMON_MODRM,                        /* lea */
	[0xb8 ... 0xbf] = COMMON,                              /* mov */
	[0xc6 ... 0xc7] = COMMON | COMMON_MODRM | COMMON_ZERO, /* mov */
};

/* Behind 0f. */
static const uint8_t common_escaped[256] = {
	[0x10 ... 0x11] = COMMON | COMMON_MODRM, /* movups */
	[0x1f] = COMMON | COMMON_MODRM,          /* nop */
	[0x28 ... 0x29] = COMMON | COMMON_MODRM, /* movaps */
	[0x57] = COMMON | COMMON_MODRM,          /* xorps */
	[0xb6 ... 0xb7] = COMMON | COMMON_MODRM, /* movzx */
	[0xbe ... 0xbf] = COMMON | COMMON_MODRM, /* movsx */
};

/* The status flags that conditions read, by half their numbers. Source: Intel SDM volume
 * 1, appendix B. */
static const uint32_t condition_flags[8] = {
	0x800 /* OF */, 0x1 /* CF */, 0x40 /* ZF */, 0x41,
	0x80 /* SF */,  0x4 /* PF */, 0x880,         0x8c0,
};

static const uint8_t branch_kinds[] = {
	[BRIEF_JUMP8] = INSTRUCTION_JUMP,  [BRIEF_CONDITION8] = INSTRUCTION_CONDITION,
	[BRIEF_JUMP32] = INSTRUCTION_JUMP, [BRIEF_CONDITION32] = INSTRUCTION_CONDITION,
	[BRIEF_CALL32] = INSTRUCTION_CALL,
};

static uint64_t relative_target(const uint8_t *bytes, uint64_t address,
				const struct brief *brief, size_t at)
{
	int32_t distance;

	memcpy(&distance, bytes + at, sizeof(distance));
	return address + brief->length + (uint64_t)(int64_t)distance;
}

/* Direct branches without prefixes, and ret. */
static bool decode_branch(const uint8_t *bytes, size_t available, uint64_t address,
			  struct instruction *instruction)
{
	struct brief brief = {.length = 1};

	if (available < 2)
		return false;
	*instruction = (struct instruction){
		.address = address, .bytes = bytes, .condition = bytes[0] & 15};
	if (bytes[0] == 0xc3) {
		instruction->length = 1;
		instruction->kind = INSTRUCTION_RETURN;
		return true;
	}
	/* The others, behind e0, are loop and the like. */
	if (!length_branch(bytes, &brief) || brief.length > available ||
	    (brief.kind == BRIEF_CONDITION8 && brief.opcode >= 0xe0))
		return false;
	instruction->length = brief.length;
	instruction->kind = branch_kinds[brief.kind];
	instruction->condition = brief.opcode & 15;
	instruction->target =
		brief.immediate == 1
			? address + brief.length + (uint64_t)(int64_t)(int8_t)bytes[1]
			: relative_target(bytes, address, &brief, brief.length - 4u);
	if (instruction->kind == INSTRUCTION_CONDITION)
		instruction->flags_read = condition_flags[(brief.opcode & 15) / 2];
	return true;
}

/* Common instructions with no prefix but REX. False: Zydis must tell. */
static bool decode_common(const uint8_t *bytes, size_t available, uint64_t address,
			  struct instruction *instruction)
{
	size_t at = available && (bytes[0] & 0xf0) == 0x40;
	struct brief brief;
	uint8_t traits;

	if (available < at + 2)
		return false;
	traits = common[bytes[at]];
	if (bytes[at] == 0x0f)
		traits = common_escaped[bytes[++at]];
	if (!traits)
		return decode_branch(bytes, available, address, instruction);
	if (!length_decode(bytes, available, &brief) ||
	    ((traits & COMMON_GROUP) && (brief.modrm & 0x30) == 0x10) ||
	    ((traits & COMMON_ZERO) && (brief.modrm & 0x38)))
		return false;
	*instruction = (struct instruction){
		.address = address, .bytes = bytes, .length = brief.length};
	if (traits & COMMON_MODRM)
		instruction->modrm = (uint8_t)(at + 1);
	if (traits & COMMON_SETS)
		instruction->flags_written = INSTRUCTION_STATUS_FLAGS;
	if (brief.relative) {
		instruction->displacement = brief.relative;
		instruction->target =
			relative_target(bytes, address, &brief, brief.relative);
	}
	return true;
}

bool decode_instruction(const uint8_t *bytes, size_t available, uint64_t address,
			struct instruction *ret_instruction)
{
	return decode_common(bytes, available, address, ret_instruction) ||
	       decode_any(bytes, available, address, ret_instruction);
}

bool decode_any(const uint8_t *bytes, size_t available, uint64_t address,
		struct instruction *ret_instruction)
{
	ZydisDecoderContext context;
	ZydisDecodedInstruction zydis;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(shared_decoder(), &context, bytes,
							available, &zydis)))
		return false;
	take_decoded(&zydis, bytes, address, ret_instruction);
	return true;
}

static bool may_fail(const ZydisDecodedOperand *operand)
{
	static const ZydisRegister safe[] = {ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RIP,
					     ZYDIS_REGISTER_R14};

	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
	    operand->mem.segment == ZYDIS_REGISTER_FS)
		return false;
	for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
		if (operand->mem.base == safe[i] &&
		    operand->mem.index == ZYDIS_REGISTER_NONE)
			return false;
	return (operand->actions &
		(ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE)) != 0;
}

static bool changes_stack(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
						operand->reg.value) == ZYDIS_REGISTER_RSP;
}

bool decode_faults_deep(const uint8_t *bytes, size_t size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	bool deep = false;

	for (size_t at = 0; at < size; at += zydis.length) {
		bool deeper = deep;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(shared_decoder(), bytes + at,
							 size - at, &zydis, operands)))
			return true;
		for (size_t i = 0; i < zydis.operand_count; i++) {
			if (deep && may_fail(&operands[i]))
				return true;
			deeper |= changes_stack(&operands[i]);
		}
		deep = deeper;
	}
	return false;
}

int decode_register_number(int name)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
							       (ZydisRegister)name);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? (int)(whole - ZYDIS_REGISTER_RAX)
		       : -1;
}

static enum decode_source source_in(const ZydisDecodedOperand *operand, int *number)
{
	ZydisRegister base = operand->mem.base;

	if (operand->size != 64)
		return DECODE_COMPUTED;
	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		*number = decode_register_number(operand->reg.value);
		return *number < 0 ? DECODE_COMPUTED : DECODE_MOVED;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    (operand->mem.index == ZYDIS_REGISTER_NONE &&
	     (base == ZYDIS_REGISTER_RSP || base == ZYDIS_REGISTER_RBP)))
		return DECODE_COMPUTED;
	return DECODE_LOADED;
}

enum decode_source decode_source(const uint8_t *bytes, size_t size, int *number)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(shared_decoder(), bytes, size, &zydis,
						 operands)))
		return DECODE_COMPUTED;
	if (*number == DECODE_TARGET)
		return source_in(&operands[0], number);
	for (size_t i = 0; i < zydis.operand_count; i++) {
		if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		    decode_register_number(operands[i].reg.value) != *number)
			continue;
		if (zydis.mnemonic == ZYDIS_MNEMONIC_POP)
			return DECODE_LOADED;
		return zydis.mnemonic == ZYDIS_MNEMONIC_MOV && !i
			       ? source_in(&operands[1], number)
			       : DECODE_COMPUTED;
	}
	return DECODE_KEPT;
}

static bool is_indexed(const ZydisDecodedOperand *operand, int number)
{
	return decode_register_number(operand->mem.base) == number &&
	       decode_register_number(operand->mem.index) != number &&
	       operand->mem.index != ZYDIS_REGISTER_NONE && operand->mem.scale == 8 &&
	       !operand->mem.disp.value && operand->size == 64;
}

static enum decode_use use_in(const ZydisDecodedInstruction *zydis,
			      const ZydisDecodedOperand *operand, int number)
{
	bool loads = zydis->mnemonic == ZYDIS_MNEMONIC_MOV ||
		     zydis->mnemonic == ZYDIS_MNEMONIC_JMP;

	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		if (decode_register_number(operand->mem.base) != number &&
		    decode_register_number(operand->mem.index) != number)
			return DECODE_UNUSED;
		return loads && is_indexed(operand, number) &&
				       operand->actions == ZYDIS_OPERAND_ACTION_READ
			       ? DECODE_INDEXED
			       : DECODE_USED;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    decode_register_number(operand->reg.value) != number)
		return DECODE_UNUSED;
	return operand->actions == ZYDIS_OPERAND_ACTION_WRITE ? DECODE_OVERWRITTEN
							      : DECODE_USED;
}

/* xor %a, %a */
static bool clears_register(const ZydisDecodedInstruction *zydis,
			    const ZydisDecodedOperand *operands, int number)
{
	return (zydis->mnemonic == ZYDIS_MNEMONIC_XOR ||
		zydis->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[0].reg.value == operands[1].reg.value && operands[0].size >= 32 &&
	       decode_register_number(operands[0].reg.value) == number;
}

/* As decode_use, and the bits of the operand; the instruction is valid if it is
 * DECODE_INDEXED. */
static enum decode_use find_use(const uint8_t *bytes, size_t size, int number,
				ZydisDecodedInstruction *ret_zydis,
				ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT],
				unsigned *ret_width)
{
	enum decode_use use = DECODE_UNUSED;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(shared_decoder(), bytes, size, ret_zydis,
						 operands)))
		return DECODE_USED;
	*ret_width = operands[0].size;
	if (clears_register(ret_zydis, operands, number))
		return DECODE_OVERWRITTEN;
	for (size_t i = 0; i < ret_zydis->operand_count; i++) {
		enum decode_use one = use_in(ret_zydis, &operands[i], number);

		if (one == DECODE_UNUSED)
			continue;
		if (use != DECODE_UNUSED)
			return DECODE_USED;
		use = one;
		*ret_width = operands[i].size;
	}
	return use;
}

enum decode_use decode_use(const uint8_t *bytes, size_t size, int number, int *ret_loaded)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	unsigned width;
	enum decode_use use = find_use(bytes, size, number, &zydis, operands, &width);

	*ret_loaded = use == DECODE_INDEXED && zydis.mnemonic == ZYDIS_MNEMONIC_MOV
			      ? decode_register_number(operands[0].reg.value)
			      : -1;
	return use;
}

enum decode_use decode_effect(const uint8_t *bytes, size_t size, int number)
{
	enum { WHOLE = 32 }; /* bits: the upper half becomes 0 */
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	unsigned width = 0;
	enum decode_use use = find_use(bytes, size, number, &zydis, operands, &width);

	if (use == DECODE_OVERWRITTEN && width >= WHOLE)
		return use;
	return use == DECODE_UNUSED ? use : DECODE_USED;
}

/* Decodes push, pop and additions to rsp. False if it is another instruction. */
static bool take_stack(const ZydisDecodedInstruction *zydis,
		       const ZydisDecodedOperand *operands,
		       struct decode_transfer *transfer)
{
	enum { WORD = 8, RSP = 4 };
	bool adds = zydis->mnemonic == ZYDIS_MNEMONIC_ADD;

	switch (zydis->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		transfer->pushed = WORD;
		transfer->base = RSP;
		transfer->displacement = 0;
		transfer->to = DECODE_MEMORY;
		transfer->stores = true;
		break;
	case ZYDIS_MNEMONIC_POP:
		transfer->pushed = -WORD;
		transfer->base = RSP;
		transfer->from = DECODE_MEMORY;
		transfer->displacement = -WORD;
		break;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    operands[0].reg.value != ZYDIS_REGISTER_RSP ||
		    operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return false;
		transfer->pushed = (int32_t)(adds ? -operands[1].imm.value.s
						  : operands[1].imm.value.s);
		break;
	default:
		return false;
	}
	transfer->written &= (uint16_t) ~(1u << RSP);
	return true;
}

/* A source or a destination of a move; `ret_register` is written if it is one. */
static uint8_t take_operand(const ZydisDecodedOperand *operand,
			    struct decode_transfer *transfer, uint8_t *ret_register)
{
	int number;

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		transfer->constant = operand->imm.value.s;
		return DECODE_CONSTANT;
	}
	if (operand->size != 32 && operand->size != 64)
		return DECODE_NOWHERE;
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && transfer->base >= 0)
		return operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? DECODE_ADDRESS
								  : DECODE_MEMORY;
	number = operand->type == ZYDIS_OPERAND_TYPE_REGISTER
			 ? decode_register_number(operand->reg.value)
			 : -1;
	if (number < 0)
		return DECODE_NOWHERE;
	*ret_register = (uint8_t)number;
	return DECODE_REGISTER;
}

static void take_move(const ZydisDecodedInstruction *zydis,
		      const ZydisDecodedOperand *operands,
		      struct decode_transfer *transfer)
{
	bool moves = zydis->mnemonic == ZYDIS_MNEMONIC_MOV ||
		     zydis->mnemonic == ZYDIS_MNEMONIC_MOVSXD ||
		     zydis->mnemonic == ZYDIS_MNEMONIC_LEA;
	bool pushes = transfer->to == DECODE_MEMORY,
	     pops = transfer->from == DECODE_MEMORY;

	if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    clears_register(zydis, operands,
			    decode_register_number(operands[0].reg.value))) {
		transfer->from = DECODE_CONSTANT;
		transfer->to = take_operand(&operands[0], transfer, &transfer->target);
	} else if (pushes) {
		transfer->from = take_operand(&operands[0], transfer, &transfer->source);
	} else if (pops) {
		transfer->to = take_operand(&operands[0], transfer, &transfer->target);
	} else if (moves) {
		transfer->from = take_operand(&operands[1], transfer, &transfer->source);
		transfer->to = take_operand(&operands[0], transfer, &transfer->target);
	}
}

bool decode_transfer(const uint8_t *bytes, size_t size,
		     struct decode_transfer *ret_transfer)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;

	*ret_transfer = (struct decode_transfer){.base = -1};
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(shared_decoder(), bytes, size, &zydis,
						 operands)))
		return false;
	for (size_t i = 0; i < zydis.operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
		int number = operand->type == ZYDIS_OPERAND_TYPE_REGISTER
				     ? decode_register_number(operand->reg.value)
				     : -1;

		if (writes && number >= 0)
			ret_transfer->written |= (uint16_t)(1u << number);
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			continue;
		ret_transfer->stores |= writes;
		if (operand->mem.index == ZYDIS_REGISTER_NONE &&
		    operand->mem.segment != ZYDIS_REGISTER_FS &&
		    operand->mem.segment != ZYDIS_REGISTER_GS)
			ret_transfer->base =
				(int8_t)decode_register_number(operand->mem.base);
		ret_transfer->displacement = operand->mem.disp.value;
	}
	if (take_stack(&zydis, operands, ret_transfer) &&
	    operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
		ret_transfer->from = ret_transfer->to = DECODE_NOWHERE;
	else
		take_move(&zydis, operands, ret_transfer);
	return true;
}
