#include "code/decode.h"

#include <Zydis/Zydis.h>
#include <string.h>

/* Instructions that enter the kernel, change what segments mean, or name their own place.
 */
static const uint16_t fixed_mnemonics[] = {
	ZYDIS_MNEMONIC_SYSCALL,  ZYDIS_MNEMONIC_SYSENTER, ZYDIS_MNEMONIC_SYSRET,
	ZYDIS_MNEMONIC_SYSEXIT,  ZYDIS_MNEMONIC_INT,      ZYDIS_MNEMONIC_INT1,
	ZYDIS_MNEMONIC_INT3,     ZYDIS_MNEMONIC_HLT,      ZYDIS_MNEMONIC_UD0,
	ZYDIS_MNEMONIC_XBEGIN,   ZYDIS_MNEMONIC_XABORT,   ZYDIS_MNEMONIC_XEND,
	ZYDIS_MNEMONIC_POPF,     ZYDIS_MNEMONIC_POPFQ,    ZYDIS_MNEMONIC_IRET,
	ZYDIS_MNEMONIC_IRETD,    ZYDIS_MNEMONIC_IRETQ,    ZYDIS_MNEMONIC_WRFSBASE,
	ZYDIS_MNEMONIC_WRGSBASE, ZYDIS_MNEMONIC_LFS,      ZYDIS_MNEMONIC_LGS,
	ZYDIS_MNEMONIC_LSS,      ZYDIS_MNEMONIC_ENCLU,    ZYDIS_MNEMONIC_SENDUIPI,
	ZYDIS_MNEMONIC_UIRET,    ZYDIS_MNEMONIC_FNSTENV,  ZYDIS_MNEMONIC_FNSAVE,
	ZYDIS_MNEMONIC_INSB,     ZYDIS_MNEMONIC_INSW,     ZYDIS_MNEMONIC_INSD,
	ZYDIS_MNEMONIC_OUTSB,    ZYDIS_MNEMONIC_OUTSW,    ZYDIS_MNEMONIC_OUTSD,
	ZYDIS_MNEMONIC_IN,       ZYDIS_MNEMONIC_OUT,
};

static const ZydisDecoder *decoder(void)
{
	static ZydisDecoder shared;
	static bool ready;

	/* Idempotent: two threads that come at once write the same bytes. */
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
	for (size_t i = 0; i < sizeof(fixed_mnemonics) / sizeof(fixed_mnemonics[0]); i++)
		if (zydis->mnemonic == fixed_mnemonics[i])
			return true;
	return false;
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
	/* EIP-relative operands are cut to 32 bits: nobody writes them, so leave them. */
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

static void take(const ZydisDecodedInstruction *zydis, const uint8_t *bytes,
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
	/* A relative branch of 16 bits, or mnemonics of this category that are none. */
	if (zydis->raw.imm[0].is_relative && zydis->raw.imm[0].size != 8 &&
	    zydis->raw.imm[0].size != 32)
		instruction->fixed = true;
}

bool decode_instruction(const uint8_t *bytes, size_t available, uint64_t address,
			struct instruction *ret_instruction)
{
	ZydisDecoderContext context;
	ZydisDecodedInstruction zydis;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder(), &context, bytes,
							available, &zydis)))
		return false;
	take(&zydis, bytes, address, ret_instruction);
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

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder(), bytes + at, size - at,
							 &zydis, operands)))
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
