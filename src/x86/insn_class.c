#include "x86/insn_class.h"

#include <Zydis/Zydis.h>
#include <string.h>

_Static_assert((int)ZYDIS_MNEMONIC_MAX_VALUE < (int)TRAITS_MNEMONICS,
	       "all mnemonics have room");

static const char *const class_names[TRAITS_CLASSES] = {
	[TRAITS_OTHER] = "other",
	[TRAITS_MOVE] = "move",
	[TRAITS_STACK] = "stack",
	[TRAITS_ADDRESS] = "address",
	[TRAITS_INTEGER] = "integer",
	[TRAITS_MULTIPLY] = "multiply and divide",
	[TRAITS_LOGIC] = "logic",
	[TRAITS_ATOMIC] = "atomic",
	[TRAITS_CONDITION] = "conditional branch",
	[TRAITS_JUMP] = "jump",
	[TRAITS_JUMP_INDIRECT] = "indirect jump",
	[TRAITS_CALL] = "call",
	[TRAITS_CALL_INDIRECT] = "indirect call",
	[TRAITS_RETURN] = "return",
	[TRAITS_STRING] = "string",
	[TRAITS_VECTOR_MOVE] = "vector move",
	[TRAITS_FP_SCALAR] = "floating point, scalar",
	[TRAITS_FP_128] = "floating point, 128 bits",
	[TRAITS_FP_256] = "floating point, 256 bits",
	[TRAITS_FP_512] = "floating point, 512 bits",
	[TRAITS_VECTOR_64] = "vector, 64 bits",
	[TRAITS_VECTOR_128] = "vector, 128 bits",
	[TRAITS_VECTOR_256] = "vector, 256 bits",
	[TRAITS_VECTOR_512] = "vector, 512 bits",
	[TRAITS_X87] = "x87",
	[TRAITS_CRYPTO] = "crypto",
	[TRAITS_NOP] = "nop",
	[TRAITS_SYSTEM] = "system",
};

/* Of what works on general registers and memory. */
static const uint8_t class_of_category[ZYDIS_CATEGORY_MAX_VALUE + 1] = {
	[ZYDIS_CATEGORY_ADOX_ADCX] = TRAITS_INTEGER,
	[ZYDIS_CATEGORY_AES] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_BINARY] = TRAITS_INTEGER,
	[ZYDIS_CATEGORY_BITBYTE] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_BMI1] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_BMI2] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_CALL] = TRAITS_CALL,
	[ZYDIS_CATEGORY_CET] = TRAITS_NOP,
	[ZYDIS_CATEGORY_CMOV] = TRAITS_MOVE,
	[ZYDIS_CATEGORY_COND_BR] = TRAITS_CONDITION,
	[ZYDIS_CATEGORY_CONVERT] = TRAITS_INTEGER,
	[ZYDIS_CATEGORY_DATAXFER] = TRAITS_MOVE,
	[ZYDIS_CATEGORY_FCMOV] = TRAITS_X87,
	[ZYDIS_CATEGORY_FLAGOP] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_GFNI] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_INTERRUPT] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_IO] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_IOSTRINGOP] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_KMASK] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_LOGICAL] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_LZCNT] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_MISC] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_MOVDIR] = TRAITS_MOVE,
	[ZYDIS_CATEGORY_NOP] = TRAITS_NOP,
	[ZYDIS_CATEGORY_PADLOCK] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_PCLMULQDQ] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_POP] = TRAITS_STACK,
	[ZYDIS_CATEGORY_PUSH] = TRAITS_STACK,
	[ZYDIS_CATEGORY_RDPID] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_RDRAND] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_RDSEED] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_RDWRFSGS] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_RET] = TRAITS_RETURN,
	[ZYDIS_CATEGORY_ROTATE] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_SEMAPHORE] = TRAITS_MOVE,
	[ZYDIS_CATEGORY_SERIALIZE] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_SETCC] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_SHA] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_SHIFT] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_SSE] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_STRINGOP] = TRAITS_STRING,
	[ZYDIS_CATEGORY_SYSCALL] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_SYSTEM] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_TBM] = TRAITS_LOGIC,
	[ZYDIS_CATEGORY_UNCOND_BR] = TRAITS_JUMP,
	[ZYDIS_CATEGORY_VAES] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_VPCLMULQDQ] = TRAITS_CRYPTO,
	[ZYDIS_CATEGORY_WIDENOP] = TRAITS_NOP,
	[ZYDIS_CATEGORY_X87_ALU] = TRAITS_X87,
	[ZYDIS_CATEGORY_XSAVE] = TRAITS_SYSTEM,
	[ZYDIS_CATEGORY_XSAVEOPT] = TRAITS_SYSTEM,
};

/* What its category does not tell. */
static const struct {
	uint16_t mnemonic;
	uint8_t class;
} exceptions[] = {
	{ZYDIS_MNEMONIC_LEA, TRAITS_ADDRESS},
	{ZYDIS_MNEMONIC_LEAVE, TRAITS_STACK},
	{ZYDIS_MNEMONIC_ENTER, TRAITS_STACK},
	{ZYDIS_MNEMONIC_MUL, TRAITS_MULTIPLY},
	{ZYDIS_MNEMONIC_IMUL, TRAITS_MULTIPLY},
	{ZYDIS_MNEMONIC_DIV, TRAITS_MULTIPLY},
	{ZYDIS_MNEMONIC_IDIV, TRAITS_MULTIPLY},
	{ZYDIS_MNEMONIC_MULX, TRAITS_MULTIPLY},
	{ZYDIS_MNEMONIC_CRC32, TRAITS_CRYPTO},
	{ZYDIS_MNEMONIC_POPCNT, TRAITS_LOGIC},
	{ZYDIS_MNEMONIC_XLAT, TRAITS_MOVE},
	{ZYDIS_MNEMONIC_PAUSE, TRAITS_NOP},
	{ZYDIS_MNEMONIC_VZEROUPPER, TRAITS_OTHER},
	{ZYDIS_MNEMONIC_VZEROALL, TRAITS_OTHER},
	{ZYDIS_MNEMONIC_EMMS, TRAITS_OTHER},
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

/* Of vector instructions that calculate: by their names, since the types of operands are
 * not the same thing (roundsd, vperm2f128). */
static enum traits_class class_of_vector(const ZydisDecodedInstruction *instruction,
					 unsigned int bits)
{
	const char *name = ZydisMnemonicGetString(instruction->mnemonic);
	const char *bare = *name == 'v' ? name + 1 : name;
	unsigned int wider = bits == 512 ? 2 : bits == 256;

	if (*bare == 'p' || bits == 64)
		return bits == 64 ? TRAITS_VECTOR_64 : TRAITS_VECTOR_128 + wider;
	if (instruction->meta.category == ZYDIS_CATEGORY_CONVERT &&
	    !strncmp(bare, "cvt", 3))
		return strstr(bare, "ss") || strstr(bare, "sd") || strstr(bare, "sh")
			       ? TRAITS_FP_SCALAR
			       : TRAITS_FP_128 + wider;
	if (ends_with(bare, "ss") || ends_with(bare, "sd") || ends_with(bare, "sh"))
		return TRAITS_FP_SCALAR;
	if (ends_with(bare, "ps") || ends_with(bare, "pd") || ends_with(bare, "ph"))
		return TRAITS_FP_128 + wider;
	return TRAITS_VECTOR_128 + wider;
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

static enum traits_class class_of(const ZydisDecodedInstruction *instruction,
				  const ZydisDecodedOperand *operands)
{
	unsigned int bits = vector_bits(instruction, operands);
	enum traits_class class = class_of_category[instruction->meta.category];

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (exceptions[i].mnemonic == instruction->mnemonic)
			return exceptions[i].class;
	if (instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK)
		return TRAITS_ATOMIC;
	/* With memory it needs no prefix. */
	if (instruction->mnemonic == ZYDIS_MNEMONIC_XCHG &&
	    (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
	     operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY))
		return TRAITS_ATOMIC;
	if ((class == TRAITS_CALL || class == TRAITS_JUMP) && is_indirect(&operands[0]))
		return class + 1;
	if (!bits || class == TRAITS_CRYPTO)
		return class;
	return moves_vectors(instruction->meta.category)
		       ? TRAITS_VECTOR_MOVE
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
			const ZydisDecodedOperand *operands, struct traits *traits)
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

bool traits_read(const uint8_t *bytes, size_t available, struct traits *ret_traits)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, available, &instruction,
						 operands)))
		return false;
	*ret_traits = (struct traits){
		.mnemonic = (uint16_t)instruction.mnemonic,
		.length = instruction.length,
		.class = (uint8_t)class_of(&instruction, operands),
	};
	ret_traits->repeated =
		ret_traits->class == TRAITS_STRING &&
		(instruction.attributes &
		 (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
	/* Operands of nops and hints are not accessed. */
	if (!ret_traits->repeated && ret_traits->class != TRAITS_NOP &&
	    instruction.meta.category != ZYDIS_CATEGORY_PREFETCH)
		read_memory(&instruction, operands, ret_traits);
	return true;
}

const char *traits_class_name(unsigned int class)
{
	return class_names[class];
}

const char *traits_mnemonic_name(unsigned int mnemonic)
{
	return ZydisMnemonicGetString((ZydisMnemonic)mnemonic);
}
