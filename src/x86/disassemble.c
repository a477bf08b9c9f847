#include "x86/disassemble.h"

#include "x86/att.h"

#include <Zydis/Zydis.h>
#include <stdio.h>

static void init_formatter(ZydisFormatter *formatter)
{
	static const struct {
		ZydisFormatterProperty property;
		ZyanUPointer value;
	} settings[] = {
		{ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE},
	};

	ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		ZydisFormatterSetProperty(formatter, settings[i].property,
					  settings[i].value);
}

size_t disassemble(enum disassemble_syntax syntax, const uint8_t *bytes, size_t available,
		   uint64_t address, char ret_text[DISASSEMBLE_TEXT_MAX])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	ZydisFormatter formatter;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, available, &instruction,
						 operands))) {
		snprintf(ret_text, DISASSEMBLE_TEXT_MAX, ".byte 0x%02x", bytes[0]);
		return 1;
	}
	if (syntax == DISASSEMBLE_ATT) {
		att_format(&instruction, operands, address, ret_text);
		return instruction.length;
	}
	init_formatter(&formatter);
	ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
					instruction.operand_count_visible, ret_text,
					DISASSEMBLE_TEXT_MAX, address, NULL);
	return instruction.length;
}
