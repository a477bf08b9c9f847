#include "x86/insn_class.h"

#include "x86/insn_class_decoded.h"

_Static_assert((int)ZYDIS_MNEMONIC_MAX_VALUE < (int)INSN_MNEMONICS,
	       "all mnemonics have room");

static const char *const class_names[INSN_CLASSES] = {
	[INSN_OTHER] = "other",
	[INSN_MOVE] = "move",
	[INSN_STACK] = "stack",
	[INSN_ADDRESS] = "address",
	[INSN_INTEGER] = "integer",
	[INSN_MULTIPLY] = "multiply and divide",
	[INSN_LOGIC] = "logic",
	[INSN_ATOMIC] = "atomic",
	[INSN_CONDITION] = "conditional branch",
	[INSN_JUMP] = "jump",
	[INSN_JUMP_INDIRECT] = "indirect jump",
	[INSN_CALL] = "call",
	[INSN_CALL_INDIRECT] = "indirect call",
	[INSN_RETURN] = "return",
	[INSN_STRING] = "string",
	[INSN_VECTOR_MOVE] = "vector move",
	[INSN_FP_SCALAR] = "floating point, scalar",
	[INSN_FP_128] = "floating point, 128 bits",
	[INSN_FP_256] = "floating point, 256 bits",
	[INSN_FP_512] = "floating point, 512 bits",
	[INSN_VECTOR_64] = "vector, 64 bits",
	[INSN_VECTOR_128] = "vector, 128 bits",
	[INSN_VECTOR_256] = "vector, 256 bits",
	[INSN_VECTOR_512] = "vector, 512 bits",
	[INSN_X87] = "x87",
	[INSN_CRYPTO] = "crypto",
	[INSN_NOP] = "nop",
	[INSN_SYSTEM] = "system",
};

bool insn_class_read(const uint8_t *bytes, size_t available,
		     struct insn_class *ret_traits)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, available, &instruction,
						 operands)))
		return false;
	insn_class_of(&instruction, operands, ret_traits);
	return true;
}

const char *insn_class_name(unsigned int class)
{
	return class_names[class];
}

const char *insn_mnemonic_name(unsigned int mnemonic)
{
	return ZydisMnemonicGetString((ZydisMnemonic)mnemonic);
}
