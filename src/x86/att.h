/*
 * Instructions in AT&T's syntax, as objdump of GNU binutils writes them: mnemonics with
 * suffixes where operands do not tell the size, displacements to %rip, conditions by
 * their usual names. The source for both is the assembler's manual ("80386 Dependent
 * Features").
 */
#ifndef TRAMMEL_X86_ATT_H
#define TRAMMEL_X86_ATT_H

#include <Zydis/Zydis.h>
#include <stdint.h>

enum { ATT_TEXT_MAX = 256 };

/* Writes a decoded instruction, as if at `address`, with its visible operands. */
void att_format(const ZydisDecodedInstruction *instruction,
		const ZydisDecodedOperand *operands, uint64_t address,
		char ret_text[ATT_TEXT_MAX]);

#endif
