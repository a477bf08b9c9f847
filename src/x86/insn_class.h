/*
 * Classes of instructions and their memory accesses, for the instruction mix. Decoded by
 * Zydis.
 */
#ifndef TRAMMEL_X86_INSN_CLASS_H
#define TRAMMEL_X86_INSN_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The class of an instruction. */
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
	INSN_FP_128, /* packed; the next ones are twice as wide each */
	INSN_FP_256,
	INSN_FP_512,
	INSN_VECTOR_64, /* packed integers */
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
	bool repeated; /* a string instruction with a prefix: its number of accesses is
			  not known, and both counts are 0 */
	uint8_t loads, stores; /* numbers of memory accesses, the stack included */
	uint16_t load_bytes, store_bytes;
};

enum { INSN_MNEMONICS = 2048 };

/* Reads the class of the instruction at `bytes`, of which `available` may be read; false
 * if it does not decode or is cut off. */
bool insn_class_read(const uint8_t *bytes, size_t available,
		     struct insn_class *ret_traits);

const char *insn_class_name(unsigned int class);
const char *insn_mnemonic_name(unsigned int mnemonic);

#endif
