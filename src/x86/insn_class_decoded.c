#include "x86/insn_class_decoded.h"

#include <string.h>

/* Classes of instructions on general registers and memory. */
static const uint8_t class_of_category[ZYDIS_CATEGORY_MAX_VALUE + 1] = {
	[ZYDIS_CATEGORY_ADOX_ADCX] = INSN_INTEGER,
	[ZYDIS_CATEGORY_AES] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_BINARY] = INSN_INTEGER,
	[ZYDIS_CATEGORY_BITBYTE] = INSN_LOGIC,
	[ZYDIS_CATEGORY_BMI1] = INSN_LOGIC,
	[ZYDIS_CATEGORY_BMI2] = INSN_LOGIC,
	[ZYDIS_CATEGORY_CALL] = INSN_CALL,
	[ZYDIS_CATEGORY_CET] = INSN_NOP,
	[ZYDIS_CATEGORY_CMOV] = INSN_MOVE,
	[ZYDIS_CATEGORY_COND_BR] = INSN_CONDITION,
	[ZYDIS_CATEGORY_CONVERT] = INSN_INTEGER,
	[ZYDIS_CATEGORY_DATAXFER] = INSN_MOVE,
	[ZYDIS_CATEGORY_FCMOV] = INSN_X87,
	[ZYDIS_CATEGORY_FLAGOP] = INSN_LOGIC,
	[ZYDIS_CATEGORY_GFNI] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_INTERRUPT] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_IO] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_IOSTRINGOP] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_KMASK] = INSN_LOGIC,
	[ZYDIS_CATEGORY_LOGICAL] = INSN_LOGIC,
	[ZYDIS_CATEGORY_LZCNT] = INSN_LOGIC,
	[ZYDIS_CATEGORY_MISC] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_MOVDIR] = INSN_MOVE,
	[ZYDIS_CATEGORY_NOP] = INSN_NOP,
	[ZYDIS_CATEGORY_PADLOCK] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_PCLMULQDQ] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_POP] = INSN_STACK,
	[ZYDIS_CATEGORY_PUSH] = INSN_STACK,
	[ZYDIS_CATEGORY_RDPID] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_RDRAND] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_RDSEED] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_RDWRFSGS] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_RET] = INSN_RETURN,
	[ZYDIS_CATEGORY_ROTATE] = INSN_LOGIC,
	[ZYDIS_CATEGORY_SEMAPHORE] = INSN_MOVE,
	[ZYDIS_CATEGORY_SERIALIZE] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_SETCC] = INSN_LOGIC,
	[ZYDIS_CATEGORY_SHA] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_SHIFT] = INSN_LOGIC,
	[ZYDIS_CATEGORY_SSE] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_STRINGOP] = INSN_STRING,
	[ZYDIS_CATEGORY_SYSCALL] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_SYSTEM] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_TBM] = INSN_LOGIC,
	[ZYDIS_CATEGORY_UNCOND_BR] = INSN_JUMP,
	[ZYDIS_CATEGORY_VAES] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_VPCLMULQDQ] = INSN_CRYPTO,
	[ZYDIS_CATEGORY_WIDENOP] = INSN_NOP,
	[ZYDIS_CATEGORY_X87_ALU] = INSN_X87,
	[ZYDIS_CATEGORY_XSAVE] = INSN_SYSTEM,
	[ZYDIS_CATEGORY_XSAVEOPT] = INSN_SYSTEM,
};

/* Classes of mnemonics that differ from those of their categories. */
static const struct {
	uint16_t mnemonic;
	uint8_t class;
} exceptions[] = {
	{ZYDIS_MNEMONIC_LEA, INSN_ADDRESS},      {ZYDIS_MNEMONIC_LEAVE, INSN_STACK},
	{ZYDIS_MNEMONIC_ENTER, INSN_STACK},      {ZYDIS_MNEMONIC_MUL, INSN_MULTIPLY},
	{ZYDIS_MNEMONIC_IMUL, INSN_MULTIPLY},    {ZYDIS_MNEMONIC_DIV, INSN_MULTIPLY},
	{ZYDIS_MNEMONIC_IDIV, INSN_MULTIPLY},    {ZYDIS_MNEMONIC_MULX, INSN_MULTIPLY},
	{ZYDIS_MNEMONIC_CRC32, INSN_CRYPTO},     {ZYDIS_MNEMONIC_POPCNT, INSN_LOGIC},
	{ZYDIS_MNEMONIC_XLAT, INSN_MOVE},        {ZYDIS_MNEMONIC_PAUSE, INSN_NOP},
	{ZYDIS_MNEMONIC_VZEROUPPER, INSN_OTHER}, {ZYDIS_MNEMONIC_VZEROALL, INSN_OTHER},
	{ZYDIS_MNEMONIC_EMMS, INSN_OTHER},
};

/* The widest vector register of its operands, in bits; 0: it has none. */
static unsigned int vector_bits(const ZydisDecodedInstruction *instruction,
				const ZydisDecodedOperand *operands)
{
	static const uint16_t bits_of_class[ZYDIS_REGCLASS_MAX_VALUE + 1] = {
		[ZYDIS_REGCLASS_MMX] = 64,
		[ZYDIS_REGCLASS_XMM] = 128,
		[ZYDIS_REGCLASS_YMM] = 256,
		[ZYDIS_REGCLASS_ZMM] = 512,
	};
	unsigned int most = 0;

	for (unsigned int i = 0; i < instruction->operand_count_visible; i++) {
		if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		unsigned int bits =
			bits_of_class[ZydisRegisterGetClass(operands[i].reg.value)];

		most = bits > most ? bits : most;
	}
	return most;
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length >= end_length && !strcmp(name + length - end_length, end);
}

/* The class of a vector instruction that calculates, by its mnemonic, since types of
 * operands can mislead (roundsd, vperm2f128). */
static enum insn_kind class_of_vector(const ZydisDecodedInstruction *instruction,
				      unsigned int bits)
{
	const char *name = ZydisMnemonicGetString(instruction->mnemonic);
	const char *bare = *name == 'v' ? name + 1 : name;
	unsigned int wider = bits == 512 ? 2 : bits == 256;

	if (*bare == 'p' || bits == 64)
		return bits == 64 ? INSN_VECTOR_64 : INSN_VECTOR_128 + wider;
	if (instruction->meta.category == ZYDIS_CATEGORY_CONVERT &&
	    !strncmp(bare, "cvt", 3))
		return strstr(bare, "ss") || strstr(bare, "sd") || strstr(bare, "sh")
			       ? INSN_FP_SCALAR
			       : INSN_FP_128 + wider;
	if (ends_with(bare, "ss") || ends_with(bare, "sd") || ends_with(bare, "sh"))
		return INSN_FP_SCALAR;
	if (ends_with(bare, "ps") || ends_with(bare, "pd") || ends_with(bare, "ph"))
		return INSN_FP_128 + wider;
	return INSN_VECTOR_128 + wider;
}

static bool moves_vectors(ZydisInstructionCategory category)
{
	return category == ZYDIS_CATEGORY_DATAXFER ||
	       category == ZYDIS_CATEGORY_BROADCAST ||
	       category == ZYDIS_CATEGORY_GATHER || category == ZYDIS_CATEGORY_SCATTER ||
	       category == ZYDIS_CATEGORY_AVX2GATHER;
}

static bool is_indirect(const ZydisDecodedOperand *operand)
{
	return operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static enum insn_kind class_of(const ZydisDecodedInstruction *instruction,
			       const ZydisDecodedOperand *operands)
{
	unsigned int bits = vector_bits(instruction, operands);
	enum insn_kind class = class_of_category[instruction->meta.category];

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (exceptions[i].mnemonic == instruction->mnemonic)
			return exceptions[i].class;
	if (instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK)
		return INSN_ATOMIC;
	/* With memory it needs no prefix. */
	if (instruction->mnemonic == ZYDIS_MNEMONIC_XCHG &&
	    (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
	     operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY))
		return INSN_ATOMIC;
	if ((class == INSN_CALL || class == INSN_JUMP) && is_indirect(&operands[0]))
		return class + 1;
	if (!bits || class == INSN_CRYPTO)
		return class;
	return moves_vectors(instruction->meta.category)
		       ? INSN_VECTOR_MOVE
		       : class_of_vector(instruction, bits);
}

/* Bytes that an operand in memory is, or that a gather and scatter take together. */
static uint16_t bytes_of(const ZydisDecodedOperand *operand,
			 const ZydisDecodedOperand *first)
{
	unsigned int bits = operand->size;

	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		bits = operand->element_size * first->element_count;
	return (uint16_t)(bits / 8);
}

static void read_memory(const ZydisDecodedInstruction *instruction,
			const ZydisDecodedOperand *operands, struct insn_class *traits)
{
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM &&
		     operand->mem.type != ZYDIS_MEMOP_TYPE_VSIB))
			continue;
		if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) {
			traits->loads++;
			traits->load_bytes += bytes_of(operand, &operands[0]);
		}
		if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
			traits->stores++;
			traits->store_bytes += bytes_of(operand, &operands[0]);
		}
	}
}

void insn_class_of(const ZydisDecodedInstruction *instruction,
		   const ZydisDecodedOperand *operands, struct insn_class *ret_traits)
{
	*ret_traits = (struct insn_class){
		.mnemonic = (uint16_t)instruction->mnemonic,
		.length = instruction->length,
		.class = (uint8_t)class_of(instruction, operands),
	};
	ret_traits->repeated =
		ret_traits->class == INSN_STRING &&
		(instruction->attributes &
		 (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
	/* Operands of nops and hints are not accessed. */
	if (!ret_traits->repeated && ret_traits->class != INSN_NOP &&
	    instruction->meta.category != ZYDIS_CATEGORY_PREFETCH)
		read_memory(instruction, operands, ret_traits);
}
