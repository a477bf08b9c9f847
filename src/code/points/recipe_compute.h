/*
 * Computing, branches and memory, in recipes: see code/points/recipe.h.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_COMPUTE_H
#define TRAMMEL_CODE_POINTS_RECIPE_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

struct recipe;

enum recipe_operation {
	RECIPE_MOVE,
	RECIPE_PLUS,
	RECIPE_MINUS,
	RECIPE_AND,
	RECIPE_OR,
	RECIPE_XOR,
	RECIPE_TIMES, /* the low 64 bits */
};
/* to = to operation from. */
void recipe_compute(struct recipe *recipe, enum recipe_operation operation, int to,
		    int from);
void recipe_compute_constant(struct recipe *recipe, enum recipe_operation operation,
			     int to, int64_t constant);
enum recipe_shift { RECIPE_LEFT, RECIPE_RIGHT, RECIPE_RIGHT_SIGNED };
void recipe_shift(struct recipe *recipe, enum recipe_shift direction, int number,
		  unsigned bits);
/* to = the number of bits that `from` has, without leading zeros: 0 for 0, 64 at most. */
void recipe_log2(struct recipe *recipe, int to, int from);
/* to = quotient of `to` by `from`, which is not 0, or the remainder. */
void recipe_divide(struct recipe *recipe, int to, int from, bool with_sign,
		   bool remainder);

/* Extends the low `size` bytes of a register (1, 2, 4). */
void recipe_extend(struct recipe *recipe, int number, unsigned size, bool with_sign);

enum recipe_condition {
	RECIPE_EQUAL = 4,
	RECIPE_NOT_EQUAL = 5,
	RECIPE_BELOW = 2, /* unsigned */
	RECIPE_AT_LEAST = 3,
	RECIPE_AT_MOST = 6,
	RECIPE_ABOVE = 7,
	RECIPE_LESS = 12, /* signed */
	RECIPE_NOT_LESS = 13,
	RECIPE_NOT_GREATER = 14,
	RECIPE_GREATER = 15,
};

/* A place further on in the point's code, to which branches lead. Registers that are
 * taken in front of a branch and given back behind the label, and the other way round,
 * are the caller's mistake: take all that branches pass before the first of them. */
enum { RECIPE_LABELS_MAX = 192 };
int recipe_label(struct recipe *recipe);
void recipe_place_label(struct recipe *recipe, int label);

/* Goes on at a label, always, or if the comparison is true. */
void recipe_skip(struct recipe *recipe, int label);
void recipe_skip_if(struct recipe *recipe, int left, enum recipe_condition condition,
		    int right, int label);
void recipe_skip_if_constant(struct recipe *recipe, int left,
			     enum recipe_condition condition, int32_t right, int label);

/* Whether a comparison is true: to = 1, else 0. */
void recipe_compare(struct recipe *recipe, int to, int left,
		    enum recipe_condition condition, int right);

/*
 * Loads `size` bytes (1, 2, 4, 8), zero- or sign-extended, from address `base` +
 * `displacement` of the program, whatever the address is: if it cannot be read, control
 * goes on at `error` with an unspecified value in `to`. The program never sees a fault.
 */
void recipe_load(struct recipe *recipe, int to, int base, int32_t displacement,
		 unsigned size, bool with_sign, int error);

/* Stores a constant as 8 bytes at base + displacement. */
void recipe_store_constant(struct recipe *recipe, int base, int32_t displacement,
			   int32_t constant);

/* Stores a register at `base` + `displacement`, in memory of ours that is known to be
 * writable, such as an area whose address recipe_slot_address gives. */
void recipe_store(struct recipe *recipe, int base, int32_t displacement, int from,
		  unsigned size);
/* Loads 8 bytes of such memory. */
void recipe_load_own(struct recipe *recipe, int to, int base, int32_t displacement);

#endif
