/*
 * Decoding of single instructions, with all that relocating them needs. Zydis decodes;
 * the most common instructions are decoded by tables with equal results.
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
	bool fixed;           /* position-dependent, or must not run elsewhere */
	uint64_t target;      /* of a direct branch, or of the RIP-relative operand */
	uint32_t flags_read;  /* status flags, bits as in EFLAGS */
	uint32_t flags_written; /* status flags, bits as in EFLAGS; those left undefined,
				   too */
};

/* CF PF AF ZF SF OF */
#define INSTRUCTION_STATUS_FLAGS 0x8d5u

/*
 * Decodes the instruction at `bytes`, of which `available` may be read, as if at
 * `address`. `bytes` must outlive the result. False if it does not decode or is cut off.
 */
bool decode_instruction(const uint8_t *bytes, size_t available, uint64_t address,
			struct instruction *ret_instruction);

/* Decodes as decode_instruction does, but by Zydis alone: the reference for tests of the
 * tables. */
bool decode_any(const uint8_t *bytes, size_t available, uint64_t address,
		struct instruction *ret_instruction);

/*
 * Whether an instruction of the code from `bytes` on may fault after the stack pointer
 * was changed. Accesses by rsp, rip, the thread pointer and r14 (Go's goroutine) count as
 * safe. True also if the code does not decode.
 */
bool decode_faults_deep(const uint8_t *bytes, size_t size);

/* The number of the 64-bit general register that contains a register (0: rax, 15: r15);
 * -1 if it is of another kind. `name`: a ZydisRegister. */
int decode_register_number(int name);

/* Origin of a value. */
enum decode_source {
	DECODE_KEPT,   /* the instruction does not change it */
	DECODE_MOVED,  /* from another register */
	DECODE_LOADED, /* 8 bytes of memory; of the stack only as an element of an array,
			  or by a pop */
	DECODE_COMPUTED, /* anything else */
};
/* As a register number: the target of an indirect jump. */
enum { DECODE_TARGET = -1 };

/*
 * The origin of the value that the instruction leaves in register *number (0: rax, 15:
 * r15). For DECODE_MOVED the source register is written to *number.
 */
enum decode_source decode_source(const uint8_t *bytes, size_t size, int *number);

/* Use of a register that holds the address of a table. */
enum decode_use {
	DECODE_UNUSED,
	DECODE_INDEXED,     /* loads the word at register + 8 * index, or jumps there */
	DECODE_OVERWRITTEN, /* puts something else into it, or into its lowest bits */
	DECODE_USED,        /* anything else */
};

/* How the instruction uses register `number`, by its operands alone, implicit ones
 * included: calls read and write more, by the ABI. For DECODE_INDEXED `ret_loaded` gets
 * the register that receives the word; -1: the instruction jumps there. */
enum decode_use decode_use(const uint8_t *bytes, size_t size, int number,
			   int *ret_loaded);

/* How the instruction affects register `number`, for liveness: DECODE_OVERWRITTEN if all
 * of it is replaced; DECODE_UNUSED; else DECODE_USED, also if a part of it is replaced.
 */
enum decode_use decode_effect(const uint8_t *bytes, size_t size, int number);

/* Source or destination of a value of 4 or 8 bytes. */
enum decode_operand {
	DECODE_NOWHERE,
	DECODE_CONSTANT,
	DECODE_REGISTER,
	DECODE_MEMORY,  /* at base + displacement */
	DECODE_ADDRESS, /* base + displacement itself */
};

/* Effect of an instruction on the values of general registers, by number: 0 is rax. */
struct decode_transfer {
	uint16_t written; /* registers that it changes, a bit each */
	uint8_t from, to; /* enum decode_operand: a value that is moved whole */
	uint8_t source;   /* destination register */
	uint8_t target;   /* register that it goes to */
	int8_t base;      /* of the memory operand; -1: it is not of the form base +
			     displacement */
	bool stores;      /* writes to the memory operand, maybe another value */
	int32_t pushed;   /* bytes by which rsp is lowered before memory is written */
	int64_t constant; /* DECODE_CONSTANT */
	int64_t displacement;
};

/* Reads the effect of the instruction at `bytes`. False if it does not decode. Effects of
 * calls and system calls beyond their operands are not included. */
bool decode_transfer(const uint8_t *bytes, size_t size,
		     struct decode_transfer *ret_transfer);

/* Whether control never continues behind the instruction. */
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
