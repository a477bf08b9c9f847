/*
 * One instruction with all that moving it needs, decoded by Zydis; the most common ones
 * by tables, which say the same.
 */
#ifndef TRAMMEL_X86_DECODE_H
#define TRAMMEL_X86_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_PLAIN,
	INSTRUCTION_JUMP,          /* jmp rel8, rel32 */
	INSTRUCTION_CONDITION,     /* jcc rel8, rel32 */
	INSTRUCTION_LOOP,          /* loop, loope, loopne, jrcxz, jecxz */
	INSTRUCTION_CALL,          /* call rel32 */
	INSTRUCTION_JUMP_INDIRECT, /* jmp r/m64 */
	INSTRUCTION_CALL_INDIRECT, /* call r/m64 */
	INSTRUCTION_RETURN,        /* near ret */
};

struct instruction {
	uint64_t address;
	const uint8_t *bytes;
	uint8_t length;       /* bytes, 1 to 15 */
	uint8_t kind;         /* enum instruction_kind */
	uint8_t displacement; /* offset of the displacement of a RIP-relative operand; 0:
				 none */
	uint8_t modrm;        /* offset of the ModRM byte; 0: none */
	uint8_t condition;    /* INSTRUCTION_CONDITION: low 4 bits of the opcode */
	bool on_stack;        /* its operand is in memory at rsp, with a displacement */
	bool fixed;           /* works only where it is, or must not run elsewhere */
	uint64_t target;      /* of a direct branch, or of the RIP-relative operand */
	uint32_t flags_read;  /* status flags, bits as in EFLAGS */
	uint32_t flags_written; /* the same; also those left undefined */
};

/* CF PF AF ZF SF OF */
#define INSTRUCTION_STATUS_FLAGS 0x8d5u

/*
 * Decodes the instruction at `bytes`, of which `available` may be read, as lying at
 * `address`. `bytes` must outlive the result. False: there is none, or it is cut off.
 */
bool decode_instruction(const uint8_t *bytes, size_t available, uint64_t address,
			struct instruction *ret_instruction);

/* The same by Zydis alone: what the tables are held against. */
bool decode_any(const uint8_t *bytes, size_t available, uint64_t address,
		struct instruction *ret_instruction);

/*
 * Whether an instruction of the code from `bytes` on may access memory in vain after the
 * stack pointer was changed. Accesses by rsp, rip, the thread pointer and r14 (Go's
 * goroutine) do not fail. True as well for what does not decode.
 */
bool decode_faults_deep(const uint8_t *bytes, size_t size);

/* Where a value comes from. */
enum decode_source {
	DECODE_KEPT,   /* the instruction does not change it */
	DECODE_MOVED,  /* from another register */
	DECODE_LOADED, /* 8 bytes of memory; of the stack only as an element of an array,
			  or by a pop */
	DECODE_COMPUTED, /* anything else */
};
/* As a register: where the instruction, an indirect jump, leads. */
enum { DECODE_TARGET = -1 };

/*
 * Where an instruction gets the value of register *number from: 0 is rax, 15 r15. When it
 * was moved from another one, that is the new *number.
 */
enum decode_source decode_source(const uint8_t *bytes, size_t size, int *number);

/* What an instruction does with the register of a table. */
enum decode_use {
	DECODE_UNUSED,
	DECODE_INDEXED,     /* loads the word at register + 8 * index, or jumps there */
	DECODE_OVERWRITTEN, /* puts something else into it, or into its lowest bits */
	DECODE_USED,        /* anything else */
};

/* By the operands alone, also those that are not written in the text: calls change and
 * take what the ABI says besides. `ret_loaded` is the register that the word goes to, of
 * DECODE_INDEXED; -1: it jumps there. */
enum decode_use decode_use(const uint8_t *bytes, size_t size, int number,
			   int *ret_loaded);

/* The same for a register that may be dead: DECODE_OVERWRITTEN, by the whole of another
 * value; DECODE_UNUSED; or else DECODE_USED, also if a part of it is overwritten. */
enum decode_use decode_effect(const uint8_t *bytes, size_t size, int number);

/* Where a value of 4 or 8 bytes comes from, and where an instruction puts it. */
enum decode_operand {
	DECODE_NOWHERE,
	DECODE_CONSTANT,
	DECODE_REGISTER,
	DECODE_MEMORY,  /* at base + displacement */
	DECODE_ADDRESS, /* base + displacement itself */
};

/* What an instruction does with the values of general registers, by number: 0 is rax. */
struct decode_transfer {
	uint16_t written; /* those that it changes, as bits */
	uint8_t from, to; /* enum decode_operand: a value that is moved whole */
	uint8_t source;   /* register that it comes from */
	uint8_t target;   /* register that it goes to */
	int8_t base;      /* of the memory operand; -1: it is not base + displacement */
	bool stores;      /* writes to the memory operand, be it something else */
	int32_t pushed;   /* bytes that rsp becomes lower, before memory is written to */
	int64_t constant; /* DECODE_CONSTANT */
	int64_t displacement;
};

/* False: it does not decode. What calls and system calls change besides is not told. */
bool decode_transfer(const uint8_t *bytes, size_t size,
		     struct decode_transfer *ret_transfer);

/* Whether nothing runs on behind it. */
static inline bool instruction_leaves(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_JUMP ||
	       instruction->kind == INSTRUCTION_JUMP_INDIRECT ||
	       instruction->kind == INSTRUCTION_RETURN;
}

static inline bool instruction_calls(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_CALL ||
	       instruction->kind == INSTRUCTION_CALL_INDIRECT;
}

#endif
