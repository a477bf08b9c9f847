/*
 * The length of x86-64 instructions, and the little that scanning whole texts needs to
 * know beside it. Tables instead of Zydis, for speed alone: 42 MB of text take 60 ms here
 * and 0.7 s there. Everything that is moved or changed is decoded by Zydis (decode.h),
 * and a test holds the two against each other over real libraries.
 */
#ifndef TRAMMEL_CODE_LENGTH_H
#define TRAMMEL_CODE_LENGTH_H

#include <stddef.h>
#include <stdint.h>

enum brief_kind {
	BRIEF_PLAIN,
	BRIEF_NOP,           /* nop in all its sizes, and int3 */
	BRIEF_JUMP8,         /* eb */
	BRIEF_CONDITION8,    /* 70..7f, e0..e3 */
	BRIEF_JUMP32,        /* e9 */
	BRIEF_CONDITION32,   /* 0f 80..8f, xbegin */
	BRIEF_CALL32,        /* e8 */
	BRIEF_CALL_INDIRECT, /* ff /2, ff /3 */
	BRIEF_JUMP_INDIRECT, /* ff /4, ff /5 */
	BRIEF_STOP,          /* ret, iret, ud2, hlt: nothing runs on behind it */
	BRIEF_SYSCALL,
	BRIEF_CONSTANT, /* b8..bf: mov of a constant to a register */
	BRIEF_SEGMENT,  /* writes the GS selector or base */
};

struct brief {
	uint8_t length;   /* bytes, 1 to 15 */
	uint8_t kind;     /* enum brief_kind */
	uint8_t relative; /* offset of the displacement of a RIP-relative operand; 0: none
			   */
	uint8_t immediate; /* bytes of the immediate, or of the branch displacement, at
			      the end */
	uint8_t map; /* 0 one-byte opcodes, 1 0f, 2 0f38, 3 0f3a, others as VEX has them
		      */
	uint8_t opcode;
	uint8_t modrm;  /* 0 if there is none */
	uint8_t prefix; /* the last of f2, f3 before the opcode; else 0 */
};

/*
 * Decodes the instruction at `bytes`, of which `available` may be read. Returns its
 * length; 0 if there is no such instruction in 64-bit mode, or not all of it is there.
 * Source: Intel SDM volume 2, appendix A. Privileged moves to control registers count as
 * undecodable.
 */
size_t length_decode(const uint8_t *bytes, size_t available, struct brief *ret_brief);

#endif
