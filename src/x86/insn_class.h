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
enum traits_class {
	TRAITS_OTHER,
	TRAITS_MOVE, /* between general registers, or these and memory; cmov */
	TRAITS_STACK,
	TRAITS_ADDRESS, /* lea */
	TRAITS_INTEGER,
	TRAITS_MULTIPLY, /* and divide */
	TRAITS_LOGIC,
	TRAITS_ATOMIC,
	TRAITS_CONDITION,
	TRAITS_JUMP,
	TRAITS_JUMP_INDIRECT,
	TRAITS_CALL,
	TRAITS_CALL_INDIRECT,
	TRAITS_RETURN,
	TRAITS_STRING,
	TRAITS_VECTOR_MOVE,
	TRAITS_FP_SCALAR,
	TRAITS_FP_128, /* packed; the next ones are of twice the width each */
	TRAITS_FP_256,
	TRAITS_FP_512,
	TRAITS_VECTOR_64, /* whole numbers, packed */
	TRAITS_VECTOR_128,
	TRAITS_VECTOR_256,
	TRAITS_VECTOR_512,
	TRAITS_X87,
	TRAITS_CRYPTO,
	TRAITS_NOP,
	TRAITS_SYSTEM,
	TRAITS_CLASSES
};

struct traits {
	uint16_t mnemonic; /* below TRAITS_MNEMONICS */
	uint8_t length;    /* bytes */
	uint8_t class;     /* enum traits_class */
	bool repeated;     /* a string instruction with a prefix: how often it loads and
			      stores is not known, and both are 0 here */
	uint8_t loads, stores; /* accesses to memory, those of the stack included */
	uint16_t load_bytes, store_bytes;
};

enum { TRAITS_MNEMONICS = 2048 };

/* Reads the instruction at `bytes`, of which `available` may be read; false: there is
 * none, or it is cut off. */
bool traits_read(const uint8_t *bytes, size_t available, struct traits *ret_traits);

const char *traits_class_name(unsigned int class);
const char *traits_mnemonic_name(unsigned int mnemonic);

#endif
