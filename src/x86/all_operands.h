/*
 * What one instruction reads and writes: operands, registers, memory, flags. Decoded by
 * Zydis.
 */
#ifndef TRAMMEL_X86_ALL_OPERANDS_H
#define TRAMMEL_X86_ALL_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of registers, of whatever width: al, ax and eax are rax. */
enum all_operands_register {
	ALL_OPERANDS_RAX, /* general ones in the processor's order, up to 15: r15 */
	ALL_OPERANDS_RSP = 4,
	ALL_OPERANDS_RIP = 16,
	ALL_OPERANDS_FLAGS,
	ALL_OPERANDS_FS, /* selector and base */
	ALL_OPERANDS_GS,
	ALL_OPERANDS_X87, /* its stack, control and status; MMX registers, too */
	ALL_OPERANDS_MXCSR,
	ALL_OPERANDS_OTHER,        /* segment, control, debug and bound registers */
	ALL_OPERANDS_K0 = 24,      /* to k7 */
	ALL_OPERANDS_VECTOR0 = 32, /* to 31: xmm, ymm, zmm */
	ALL_OPERANDS_REGISTERS = 64,
	ALL_OPERANDS_NONE = 0xff,
};

enum all_operands_kind {
	ALL_OPERANDS_REGISTER,
	ALL_OPERANDS_MEMORY,    /* accessed */
	ALL_OPERANDS_ADDRESS,   /* of lea, nop and prefetches: an address that is not
				 * accessed
				 */
	ALL_OPERANDS_IMMEDIATE, /* `value`; of a direct branch its target */
};

/* An operand. Implicit ones stand behind those that are written in assembly. */
struct operand {
	uint8_t kind; /* enum all_operands_kind */
	bool reads, writes, implicit;
	uint16_t bits;
	uint8_t number;      /* ALL_OPERANDS_REGISTER: its number */
	uint8_t base, index; /* of memory; ALL_OPERANDS_NONE: none. rip: `value` is the
				whole address */
	uint8_t scale;
	uint8_t segment; /* ALL_OPERANDS_FS, ALL_OPERANDS_GS or ALL_OPERANDS_NONE */
	bool gathered;   /* `index` is a vector register: many addresses */
	uint8_t memory;  /* ALL_OPERANDS_MEMORY: its number among those */
	int64_t value;   /* displacement, or constant */
};

enum { ALL_OPERANDS_MAX = 10 };

struct all_operands {
	uint16_t mnemonic;   /* below INSN_MNEMONICS */
	uint8_t class;       /* enum insn_kind */
	uint8_t length;      /* bytes */
	uint8_t map, opcode; /* as in struct brief */
	bool repeated;       /* a string instruction with a prefix */
	bool locked;
	bool relative;          /* it depends on the address */
	uint8_t count, visible; /* operands, and those of them that assembly shows */
	uint8_t memory_count;
	uint64_t reads, writes; /* registers, a bit each; addresses' included, and parts
				   of registers */
	uint32_t flags_read, flags_written; /* as in EFLAGS; left undefined: written */
	struct operand items[ALL_OPERANDS_MAX];
};

/* Reads the instruction at `bytes`, of which `available` may be read, as if at `address`.
 * False if it does not decode or is cut off. */
bool all_operands_read(const uint8_t *bytes, size_t available, uint64_t address,
		       struct all_operands *ret_operands);

/* Name of a register in its full width ("rax", "xmm3"); "?" for none. */
const char *all_operands_register_name(unsigned int number);

#endif
