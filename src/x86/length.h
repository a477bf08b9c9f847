/*
 * Lengths of x86-64 instructions, and the few other properties that a linear sweep needs.
 * Tables instead of Zydis, for speed alone: a sweep is ten times as fast. A test
 * compares the two over real libraries.
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
	BRIEF_STOP,          /* ret, iret, ud2, hlt: control never continues behind it */
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
	uint8_t prefix; /* the last of f2, f3 before the opcode; 0: none */
};

/*
 * Decodes the instruction at `bytes`, of which `available` may be read, to `ret_brief`.
 * Returns its length; 0 if it is invalid in 64-bit mode or cut off. Source: Intel SDM
 * volume 2, appendix A. Privileged moves to control registers count as invalid.
 */
size_t length_decode(const uint8_t *bytes, size_t available, struct brief *ret_brief);

/*
 * A branch over the lock prefix of the next instruction, as the C library has it for
 * programs with one thread: je 1f; lock; 1: cmpxchg ... The two are treated as one
 * instruction, since the branch leads into the middle of the second.
 */
enum { LENGTH_PAIR_BRANCH = 2 };
static inline bool length_is_pair(const uint8_t *bytes, size_t available)
{
	return available > LENGTH_PAIR_BRANCH && bytes[0] == 0x74 && bytes[1] == 1 &&
	       bytes[2] == 0xf0;
}

/* Length and kind of a direct branch without prefixes, by its first byte; length 0 for
 * all other instructions and for branches with two opcode bytes. */
extern const uint8_t length_branches[256], length_branch_kinds[256];

/* Decodes a direct branch without prefixes, as length_decode does; these are most of what
 * is decoded. False if it is another instruction. All of it must be readable. */
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
 * Class of an instruction: its length in the lowest bits, enough to go on to the next
 * one, and flags for those that need decoding. A sweep waits at each instruction for the
 * length of the one before; the tables keep that wait short. They agree with
 * length_decode.
 */
enum classify {
	CLASSIFY_LENGTH = 15,     /* 0: the tables do not know it */
	CLASSIFY_RELATIVE = 0x10, /* a RIP-relative operand */
	CLASSIFY_KIND = 0x20,     /* neither plain, nor a nop, nor a stop */
	CLASSIFY_NOP = 0x40,
	CLASSIFY_WORD = 0x80, /* an immediate of 4 bytes */
	CLASSIFY_BYTES = 4,   /* bytes that are read */
};

/* How the byte behind an opcode changes the class: most opcodes differ in nothing else.
 * There are few such rows, so that the tables fit the level-1 cache. */
enum { OPCODE_CLASSES = 64 };

struct classify_tables {
	/* Row by opcode: without prefix, behind REX, behind 0f, behind both; it includes
	 * the length of the prefixes. */
	uint8_t classes[4][256];
	/* Class by row and the byte behind the opcode, a ModRM byte or any other. */
	uint8_t rows[OPCODE_CLASSES][256];
};

/* The tables, built at the first call; thread-safe. */
const struct classify_tables *length_classify_tables(void);

/* The class of the instruction at `bytes`, of which CLASSIFY_BYTES must be readable.
 * 0: length_classify_any must decode it. */
static inline uint32_t length_classify(const struct classify_tables *tables,
				       const uint8_t *bytes)
{
	uint32_t word, rex, escape;

	memcpy(&word, bytes, sizeof(word));
	/* Without branches: every second instruction has a REX prefix, which no processor
	 * predicts well. */
	rex = (word & 0xf0) == 0x40;
	word >>= rex << 3;
	escape = (word & 255) == 0x0f;
	word >>= escape << 3;
	return tables
		->rows[tables->classes[2 * escape + rex][word & 255]][word >> 8 & 255];
}

/* The class of an instruction that length_classify does not know, or with fewer than
 * CLASSIFY_BYTES readable. 0 if it does not decode. */
uint32_t length_classify_any(const struct classify_tables *tables, const uint8_t *bytes,
			     size_t available);

/* A displacement of 1 or 4 bytes, sign-extended. */
static inline uint64_t length_displacement(const uint8_t *bytes, size_t size)
{
	int32_t wide;

	if (size == 1)
		return (uint64_t)(int8_t)*bytes;
	memcpy(&wide, bytes, sizeof(wide));
	return (uint64_t)(int64_t)wide;
}

/* The displacement of a direct branch that ends at `behind`. */
static inline uint64_t length_distance(const uint8_t *behind, const struct brief *brief)
{
	return length_displacement(behind - brief->immediate, brief->immediate);
}

/* The class of a decoded instruction, as length_classify returns it. */
static inline uint32_t length_classify_brief(const struct brief *brief)
{
	uint32_t class = brief->length;

	class |= brief->relative ? CLASSIFY_RELATIVE : 0;
	class |= brief->immediate == 4 ? CLASSIFY_WORD : 0;
	if (brief->kind == BRIEF_NOP)
		return class | CLASSIFY_NOP;
	if (brief->kind != BRIEF_PLAIN && brief->kind != BRIEF_STOP)
		return class | CLASSIFY_KIND;
	return class;
}

#endif
