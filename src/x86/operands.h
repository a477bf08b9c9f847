/*
 * What an instruction does with general registers and memory: for liveness, and for code
 * that computes the addresses of its memory operands. Decoded by Zydis.
 */
#ifndef TRAMMEL_X86_OPERANDS_H
#define TRAMMEL_X86_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Base registers that are none of the general ones. */
enum { OPERANDS_NO_REGISTER = -1, OPERANDS_RIP = 16 };

enum operands_segment { OPERANDS_NO_SEGMENT, OPERANDS_FS, OPERANDS_GS };

/* A memory operand. Its address is base + index * scale + displacement, before the
 * instruction is executed, plus the segment's base. */
struct operands_memory {
	uint16_t size; /* bytes; 0: not a fixed number */
	bool reads, writes;
	bool stack; /* of push, pop, call, ret and the like: by the stack pointer alone */
	bool odd;   /* its address is not of that form: gathers, xlat, enter */
	bool narrow;        /* the address is cut to 32 bits */
	bool repeated;      /* accessed up to rcx times, or not at all */
	int8_t base, index; /* numbers of registers, or OPERANDS_... */
	uint8_t scale;
	uint8_t segment;      /* enum operands_segment */
	int64_t displacement; /* with OPERANDS_RIP: from the end of the instruction */
};

enum { OPERANDS_MEMORY_MAX = 4 };

struct operands {
	/* General registers, a bit each, 0: rax. read: may be read, or changed in part or
	 * not always: a superset. written: always replaced as a whole: a subset. Calls,
	 * returns and system calls beyond their operands are not included. */
	uint16_t read, written;
	uint16_t changed; /* may be changed, as a whole or not: a superset of `written` */
	int8_t stack_change; /* bytes by which push or pop moves rsp; 0 for all others */
	uint8_t memory_count;
	struct operands_memory memory[OPERANDS_MEMORY_MAX];
};

/* Reads the operands of the instruction at `bytes`, of which `size` may be read; false if
 * it does not decode. nop, lea and prefetches access no memory. */
bool operands_read(const uint8_t *bytes, size_t size, struct operands *ret_operands);

#endif
