/*
 * The length of x86-64 instructions, and the little that scanning whole texts needs to
 * know beside it. Tables instead of Zydis, for speed alone: 42 MB of text take 60 ms here
 * and 0.7 s there. Everything that is moved or changed is decoded by Zydis (decode.h),
 * and a test holds the two against each other over real libraries.
 */
#ifndef TRAMMEL_X86_LENGTH_H
#define TRAMMEL_X86_LENGTH_H

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
 * A branch over the lock prefix of the instruction behind it, as the C library has it for
 * programs with one thread: je 1f; lock; 1: cmpxchg ... It and what is behind are like
 * one instruction, since the branch leads into the middle of the other one.
 */
enum { LENGTH_PAIR_BRANCH = 2 };
static inline bool length_is_pair(const uint8_t *bytes, size_t available)
{
	return available > LENGTH_PAIR_BRANCH && bytes[0] == 0x74 && bytes[1] == 1 &&
	       bytes[2] == 0xf0;
}

/* By the first byte of a direct branch without prefixes: its length, which is 0 for all
 * other instructions, and its kind. Those of two opcode bytes are not among them. */
extern const uint8_t length_branches[256], length_branch_kinds[256];

/* The same as length_decode for direct branches without prefixes, which are most of what
 * is decoded: their first byte tells, or the second. False: it is none. All of it must be
 * there. */
static inline bool length_branch(const uint8_t *bytes, struct brief *ret_brief)
{
	uint8_t map = bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80;
	uint8_t length = map ? 5 : length_branches[bytes[0]];

	if (!length)
		return false;
	*ret_brief = (struct brief){
		.length = (uint8_t)(length + map),
		.kind = map ? BRIEF_CONDITION32 : length_branch_kinds[bytes[0]],
		.immediate = (uint8_t)(length - 1),
		.map = map,
		.opcode = bytes[map],
	};
	return true;
}

/*
 * A glance at an instruction: its length in the lowest bits, which is enough to go on to
 * the next one, and what makes it worth a decoding. Texts are walked by glances, since
 * each waits for the length of the one before: the tables keep that wait short, and hold
 * nothing but what length_decode says.
 */
enum glance {
	GLANCE_LENGTH = 15,     /* 0: not known at a glance */
	GLANCE_RELATIVE = 0x10, /* a RIP-relative operand */
	GLANCE_KIND = 0x20,     /* neither plain, nor a nop, nor a stop */
	GLANCE_NOP = 0x40,
	GLANCE_WORD = 0x80, /* an immediate of 4 bytes */
	GLANCE_BYTES = 4,   /* that are read */
};

/* What the byte behind an opcode means for the glance, which is all that most opcodes
 * differ in. There are few such classes, so that all of this stays in the processor's
 * nearest cache. */
enum { GLANCE_CLASSES = 64 };

struct glance_tables {
	/* By opcode: without prefixes, behind REX, behind 0f, behind both; the length
	 * is with them. */
	uint8_t classes[4][256];
	/* By class and the byte behind the opcode, a ModRM byte or any other. */
	uint8_t rows[GLANCE_CLASSES][256];
};

/* They are made at the first call; any thread may. */
const struct glance_tables *length_glances(void);

/* GLANCE_BYTES may be read at `bytes`. 0: length_look must tell. */
static inline uint32_t length_glance(const struct glance_tables *tables,
				     const uint8_t *bytes)
{
	uint32_t word, rex, escape;

	memcpy(&word, bytes, sizeof(word));
	/* Without branches: every second instruction has a REX prefix, and no processor
	 * foresees which. */
	rex = (word & 0xf0) == 0x40;
	word >>= rex << 3;
	escape = (word & 255) == 0x0f;
	word >>= escape << 3;
	return tables
		->rows[tables->classes[2 * escape + rex][word & 255]][word >> 8 & 255];
}

/* The same with a closer look, where a glance is not enough, or fewer bytes may be read.
 * 0: it does not decode. */
uint32_t length_look(const struct glance_tables *tables, const uint8_t *bytes,
		     size_t available);

/* A displacement of 1 or 4 bytes, as 64 bits. */
static inline uint64_t length_displacement(const uint8_t *bytes, size_t size)
{
	int32_t wide;

	if (size == 1)
		return (uint64_t)(int8_t)*bytes;
	memcpy(&wide, bytes, sizeof(wide));
	return (uint64_t)(int64_t)wide;
}

/* How far a direct branch leads from `behind` it. */
static inline uint64_t length_distance(const uint8_t *behind, const struct brief *brief)
{
	return length_displacement(behind - brief->immediate, brief->immediate);
}

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
