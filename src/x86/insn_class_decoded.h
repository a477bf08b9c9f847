/* The class of an instruction that Zydis has decoded: for the files of this folder. */
#ifndef TRAMMEL_X86_INSN_CLASS_DECODED_H
#define TRAMMEL_X86_INSN_CLASS_DECODED_H

#include "x86/insn_class.h"

#include <Zydis/Zydis.h>

/* Finds the class of an instruction and its operands, all of them. */
void insn_class_of(const ZydisDecodedInstruction *instruction,
		   const ZydisDecodedOperand *operands, struct insn_class *ret_traits);

#endif
