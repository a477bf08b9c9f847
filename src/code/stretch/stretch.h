/*
 * Stretches: the next few instructions of a thread, as copies that are executed one after
 * the other, each with what it reads and leaves written down. The processor itself
 * interprets: the copies have the effect of the originals, and what is between them
 * changes no register, no flag and no memory of the program. Both ways of a conditional
 * branch are copied, so the steps are a tree.
 *
 * The code can lie anywhere; the words that it writes lie a fixed distance behind it
 * (struct wire_stretch). A thread that stops in it is led to where it would be in the
 * original by the rows. See docs/design/values.md.
 */
#ifndef TRAMMEL_CODE_STRETCH_STRETCH_H
#define TRAMMEL_CODE_STRETCH_STRETCH_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STRETCH_LENGTH_MAX = 64,   /* instructions on each way */
	STRETCH_CODE_MAX = 0x1000, /* bytes */
	STRETCH_WORDS = 512,       /* of what is written, in all */
	STRETCH_WORD_END = 0,      /* number of the end that was reached, plus 1 */
	STRETCH_WORD_TARGET = 1,   /* where an indirect branch leads */
	STRETCH_WORD_SAVED = 2,    /* registers that are borrowed, by number */
	STRETCH_WORD_VALUES = 18,  /* the first value */
	STRETCH_MEMORY_MAX = 2,    /* memory operands of an instruction that are told */
};

/* What a value is. `number`: of the register, or of the memory operand. */
enum stretch_kind {
	STRETCH_REGISTER, /* a general register, 64 bits */
	STRETCH_VECTOR,   /* the low 64 bits of a vector register */
	STRETCH_MASK,     /* a mask register */
	STRETCH_X87,      /* the top of the x87 stack, or an MMX register's bits */
	STRETCH_LOADED,   /* what a memory operand had, at most 8 bytes of it */
	STRETCH_STORED,   /* what it has afterwards */
	STRETCH_TICKS,    /* ticks between the clock readings around a load */
};

struct stretch_value {
	uint8_t kind; /* enum stretch_kind */
	uint8_t number;
	uint16_t word; /* where it is */
};

/* A memory operand. Its address is base + index * scale + displacement and the segment's
 * base, by the registers before the instruction. Numbers are those of struct operand. */
struct stretch_memory {
	uint8_t base, index, scale, segment;
	bool reads, writes;
	bool told;     /* its address is of this form */
	bool pushed;   /* the displacement counts from the changed rsp: see `displacement`
			*/
	uint16_t size; /* bytes of each access; 0: not a fixed number */
	int64_t displacement;
};

enum stretch_branch {
	STRETCH_PLAIN,
	STRETCH_JUMP,
	STRETCH_CONDITION,
	STRETCH_CALL,
	STRETCH_INDIRECT, /* jump, call or return: the target is in STRETCH_WORD_TARGET */
};

struct stretch_step {
	uint64_t address;
	uint16_t before; /* number of the step before plus 1; 0: it is the first */
	uint8_t length;  /* bytes */
	uint8_t branch;  /* enum stretch_branch */
	uint8_t memory_count;
	uint8_t value_count;
	uint16_t first_value;
	struct stretch_memory memory[STRETCH_MEMORY_MAX];
};

/* Why a way ends. */
enum stretch_why {
	STRETCH_WHOLE,        /* it has all instructions, or there is no room for more */
	STRETCH_BRANCH,       /* nobody knew before where its last instruction leads */
	STRETCH_SYSTEM_CALL,  /* in front of one: see docs/design/values.md */
	STRETCH_LEFT_ALONE,   /* in front of what is not copied */
	STRETCH_CODE_CHANGED, /* the program changed the code in front of it */
	STRETCH_WHYS
};

/* Where the code is left. */
struct stretch_end {
	uint16_t last;  /* number of the last step plus 1; 0: none */
	bool by_target; /* to the address in STRETCH_WORD_TARGET */
	uint8_t why;    /* enum stretch_why */
	uint64_t next;  /* else to this one */
};

/* What a thread's place in the code means, from `offset` to that of the next row. */
struct stretch_row {
	uint16_t offset;
	uint16_t saved; /* registers whose values are in STRETCH_WORD_SAVED, a bit each */
	uint16_t last;  /* as in struct stretch_end: all its values are written */
	bool by_target; /* the thread is at the address in STRETCH_WORD_TARGET */
	bool called;    /* behind a system call: rcx has the place of the copy */
	bool own; /* a fault there is not the original's: it is of a load of its code */
	uint64_t address; /* else at this one */
};

/* Bytes of the original that were copied. */
struct stretch_part {
	uint64_t address;
	uint32_t size, first; /* bytes, and where they are in stretch.original */
};

struct stretch {
	struct VECTOR(uint8_t) code;
	struct VECTOR(uint8_t) original;
	struct VECTOR(struct stretch_part) parts;
	struct VECTOR(struct stretch_step) steps;
	struct VECTOR(struct stretch_value) values;
	struct VECTOR(struct stretch_row) rows;
	struct VECTOR(struct stretch_end) ends;
	bool calls; /* it makes system calls */
};

struct stretch_request {
	uint64_t address;
	uint32_t length;   /* instructions, at most STRETCH_LENGTH_MAX */
	uint32_t distance; /* bytes from the code to its words */
	bool ticks;        /* loads are timed, too */
	bool calls;        /* it may make system calls: see stretch_calls.h */
	/* Reads the program's code at an address: up to `size` bytes; returns how many
	 * there are. 0: code there must not be copied. `ret_changes`: it may change at
	 * any time, so that each copy compares it first. */
	size_t (*read)(void *context, uint64_t address, uint8_t *bytes, size_t size,
		       bool *ret_changes);
	void *context;
};

/* Makes the stretch from an address on. Returns false if not even one instruction there
 * can be copied. */
bool stretch_make(const struct stretch_request *request, struct stretch *ret_stretch);
void stretch_deinit(struct stretch *stretch);

/* The row for an offset in the code; NULL: it is behind the code. */
const struct stretch_row *stretch_row_at(const struct stretch *stretch, uint64_t offset);

/* The steps that lead to step `last` - 1, itself included, in their order; returns their
 * number. */
size_t stretch_path(const struct stretch *stretch, uint16_t last,
		    uint16_t ret_steps[STRETCH_LENGTH_MAX]);

#endif
