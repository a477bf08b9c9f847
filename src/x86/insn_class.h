/*
 * What an instruction is good for, and what it does with memory: for the instruction mix.
 * Decoded by Zydis.
 */
#ifndef TRAMMEL_X86_INSN_CLASS_H
#define TRAMMEL_X86_INSN_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each instruction is of one class. */
enum insn_kind {
	INSN_OTHER,
	INSN_MOVE, /* between general registers, or these and memory; cmov */
	INSN_STACK,
	INSN_ADDRESS, /* lea */
	INSN_INTEGER,
	INSN_MULTIPLY, /* and divide */
	INSN_LOGIC,
	INSN_ATOMIC,
	INSN_CONDITION,
	INSN_JUMP,
	INSN_JUMP_INDIRECT,
	INSN_CALL,
	INSN_CALL_INDIRECT,
	INSN_RETURN,
	INSN_STRING,
	INSN_VECTOR_MOVE,
	INSN_FP_SCALAR,
	INSN_FP_128, /* packed; the next ones are of twice the width each */
	INSN_FP_256,
	INSN_FP_512,
	INSN_VECTOR_64, /* whole numbers, packed */
	INSN_VECTOR_128,
	INSN_VECTOR_256,
	INSN_VECTOR_512,
	INSN_X87,
	INSN_CRYPTO,
	INSN_NOP,
	INSN_SYSTEM,
	INSN_CLASSES
};

struct insn_class {
	uint16_t mnemonic; /* below INSN_MNEMONICS */
	uint8_t length;    /* bytes */
	uint8_t class;     /* enum insn_kind */
	bool repeated;     /* a string instruction with a prefix: how often it loads and
			      stores is not known, and both are 0 here */
	uint8_t loads, stores; /* accesses to memory, those of the stack included */
	uint16_t load_bytes, store_bytes;
};

enum { INSN_MNEMONICS = 2048 };

/* Reads the instruction at `bytes`, of which `available` may be read; false: there is
 * none, or it is cut off. */
bool insn_class_read(const uint8_t *bytes, size_t available,
		     struct insn_class *ret_traits);

const char *insn_class_name(unsigned int class);
const char *insn_mnemonic_name(unsigned int mnemonic);

#endif
