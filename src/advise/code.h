/*
 * Reading code of functions, for rules.
 */
#ifndef TRAMMEL_ADVISE_CODE_H
#define TRAMMEL_ADVISE_CODE_H

#include "advise/rule.h"

/* An instruction of an annotated function. */
struct advice_instruction {
	uint64_t address;
	const struct cfg_instruction *row;
	const uint8_t *bytes;
};

/* Returns instruction `index` of the function's graph. */
struct advice_instruction advice_instruction_at(const struct annotation *annotation,
						uint32_t index);

/* Adds the linked name of what a call leads to, without the version and "@plt"; nothing
 * where that is not known. */
void advice_add_callee(const struct annotation *annotation,
		       const struct advice_instruction *call, struct text *out);

/* Tells whether the name is that of the function `base` of the C library, or of one of
 * its versions for some processors (__strlen_avx2). */
bool advice_is_function(const char *name, const char *base);

/* Where a value in a register comes from. */
enum advice_source {
	ADVICE_UNKNOWN,
	ADVICE_FIXED, /* a constant, or an address in the module */
	ADVICE_FROM,  /* another register, `number` */
	ADVICE_SLOT,  /* a word of the stack's, at `number` + displacement */
	ADVICE_MADE,  /* the instruction `index` makes it */
};

struct advice_origin {
	uint8_t source; /* enum advice_source */
	int8_t number;
	int64_t displacement;
	int64_t constant; /* ADVICE_FIXED */
	uint32_t index;   /* of the instruction that writes it */
};

/* Finds the instruction that wrote a general register (0: rax) last in front of
 * instruction `index`, in its block and in those that alone lead to it. ADVICE_UNKNOWN:
 * it is further away, or a call lies between. */
struct advice_origin advice_origin_of(const struct annotation *annotation,
				      const struct routes *routes, uint32_t block,
				      uint32_t index, int number);

/* Tells whether any instruction of a loop changes a general register; calls change those
 * that need not be kept. */
bool advice_loop_changes(const struct annotation *annotation, const struct trips *trips,
			 uint32_t loop, int number);

/* Tells whether any instruction of a loop writes to base + displacement. */
bool advice_loop_stores(const struct annotation *annotation, const struct trips *trips,
			uint32_t loop, int base, int64_t displacement);

/* Tells whether a block is in a loop, or in one inside it. */
bool advice_is_in(const struct trips *trips, uint32_t block, uint32_t loop);

#endif
