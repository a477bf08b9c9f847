/*
 * Values of the program, in recipes: see code/points/recipe.h.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_VALUES_H
#define TRAMMEL_CODE_POINTS_RECIPE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct recipe;

/* Kind of a value of the program at a point. */
enum recipe_value_kind {
	RECIPE_CONSTANT, /* `constant` */
	RECIPE_REGISTER, /* the program's register `number` */
	RECIPE_ARGUMENT, /* argument `number` of the System V ABI among integers and
			    pointers: at a function's entry, or in front of a call.
			    From 6 on on the stack */
	RECIPE_RETURN,   /* the returned integer or pointer: behind a call, or in front of
			    a return */
	RECIPE_ADDRESS,  /* effective address of memory operand `number` of the
			    instruction: see recipe_operands */
	RECIPE_LOADED,   /* what such an operand has in memory now; `size` at most 8
			    bytes are read, zero-extended. In front of an instruction
			    that reads it: what it will read. Behind one that writes it:
			    what it wrote */
	RECIPE_TAKEN,    /* 1 if the conditional branch at the point will be taken; else
			    0 */
	RECIPE_TARGET,   /* run-time address to which an indirect jump or call, or a
			    return, will go */
	RECIPE_CALLER,   /* return address of the function's call: at its entry */
	RECIPE_PC,       /* run-time address of the instruction's original */
	RECIPE_MODULE,   /* run-time address of link-time address `constant` of the
			    module */
	RECIPE_THREAD,   /* number of the thread, as the kernel has it */
	RECIPE_TIME,     /* the time-stamp counter; 0 where it may not be read */
	RECIPE_STATUS,   /* the status flags, with the bits of EFLAGS */
	RECIPE_DATA,     /* address of the piece of data at distance `constant`:
			    point_data.h */
	RECIPE_VECTOR,   /* address of a copy of vector register `number`: see
			    code/points/recipe_vectors.h */
	RECIPE_VECTOR_LOW, /* its low 64 bits */
	RECIPE_CONTEXT, /* number of the region in which the program says that it is: of
			   its thread in the upper half, of the region in the lower; 0:
			   in none */
	RECIPE_BANK,    /* address of the thread's bank: equal as long as the thread and
			   its counters are */
	RECIPE_TAKEN_REGISTER, /* what register `number`, which was taken, has */
};

struct recipe_value {
	uint8_t kind;   /* enum recipe_value_kind */
	uint8_t number; /* of a register, argument or operand */
	uint8_t size;   /* bytes; 0: as the instruction has it, or 8 */
	int64_t constant;
};

/* Loads a value into a register that was taken. */
void recipe_value(struct recipe *recipe, int number, struct recipe_value value);

/* The value of a register that was taken. */
static inline struct recipe_value recipe_taken(int number)
{
	return (struct recipe_value){.kind = RECIPE_TAKEN_REGISTER,
				     .number = (uint8_t)number};
}

#endif
