/*
 * The length of x86-64 instructions, and the little that scanning whole texts needs to
 * know beside it. Tables instead of Zydis, for speed alone: 42 MB of text take 60 ms here
 * and 0.7 s there. Everything that is moved or changed is decoded by Zydis (decode.h),
 * and a test holds the two against each other over real libraries.
 */
#ifndef TRAMMEL_CODE_LENGTH_H
#define TRAMMEL_CODE_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/*
 * A glance at an instruction: its length in the lowest bits, which is enough to go on to
 * the next one, and what makes it worth a decoding. Texts are walked by glances, since
 * each waits for the length of the one before: the tables keep that wait short, and hold
 * nothing but what length_decode says.
 */
enum glance {
	GLANCE_LENGTH = 15,
	GLANCE_RELATIVE = 0x10,  /* a RIP-relative operand */
	GLANCE_SHORT_SIB = 0x20, /* a SIB byte, whose base may add a displacement */
	GLANCE_REGISTER = 0x40,  /* a register as operand, where only memory may be */
	GLANCE_EXTENDED = 0x80,  /* the opcode's extension is not 0, where it must be */
	GLANCE_LAST = 0x100,     /* it is 7, where it must not be */
	GLANCE_CLOSER = 0x200,   /* not known at a glance, not even the length */
	GLANCE_KIND = 0x400,     /* neither plain, nor a nop, nor a stop */
	GLANCE_NOP = 0x800,
	GLANCE_WORD = 0x1000, /* an immediate of 4 bytes */
	GLANCE_ESCAPE = 0x2000,
	/* With any of these, length_decode must tell. */
	GLANCE_UNKNOWN = GLANCE_REGISTER | GLANCE_EXTENDED | GLANCE_LAST | GLANCE_CLOSER,
	GLANCE_MASK_SHIFT = 16, /* in tables of opcodes: what of the ModRM byte's row
				   counts */
	GLANCE_BYTES = 8,       /* that are read */
};

struct glance_tables {
	/* By opcode: the first byte, behind REX, behind 0f. */
	uint32_t opcodes[256], extended[256], escaped[256];
	uint32_t modrm[256];
};

void length_glances_init(struct glance_tables *tables);

/* GLANCE_BYTES may be read at `bytes`. The result says nothing above bit 15. */
static inline uint32_t length_glance(const struct glance_tables *tables,
				     const uint8_t *bytes)
{
	uint32_t row, modrm, rex;
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	/* Both ways at once rather than one after the other, and without a branch: every
	 * second instruction has a REX prefix. */
	rex = (word & 0xf0) == 0x40;
	row = tables->opcodes[word & 255];
	row ^= (row ^ tables->extended[word >> 8 & 255]) & -rex;
	modrm = tables->modrm[word >> 8 & 255];
	modrm ^= (modrm ^ tables->modrm[word >> 16 & 255]) & -rex;
	if (row & GLANCE_ESCAPE) {
		word >>= 8 + (rex << 3);
		row += tables->escaped[word & 255] - GLANCE_ESCAPE;
		modrm = tables->modrm[word >> 8 & 255];
		rex = 0;
	}
	modrm &= row >> GLANCE_MASK_SHIFT;
	row += modrm;
	if ((modrm & GLANCE_SHORT_SIB) && (word >> (16 + (rex << 3)) & 7) == 5)
		row += 4;
	return row;
}

/* The same with a closer look, where a glance is not enough, or fewer bytes may be read;
 * never GLANCE_UNKNOWN. 0: it does not decode. */
uint32_t length_look(const struct glance_tables *tables, const uint8_t *bytes,
		     size_t available);

/* The same as length_glance says of what it has decoded. */
static inline uint32_t length_glance_of(const struct brief *brief)
{
	uint32_t glance = brief->length;

	glance |= brief->relative ? GLANCE_RELATIVE : 0;
	glance |= brief->immediate == 4 ? GLANCE_WORD : 0;
	if (brief->kind == BRIEF_NOP)
		return glance | GLANCE_NOP;
	if (brief->kind != BRIEF_PLAIN && brief->kind != BRIEF_STOP)
		return glance | GLANCE_KIND;
	return glance;
}

#endif
