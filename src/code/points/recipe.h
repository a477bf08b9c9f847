/*
 * Writing the code of a point. A recipe takes registers, which are dead at the point or
 * saved by the engine, loads values of the program into them, and counts, stores or
 * calls. The program's registers, flags and memory are as before behind it.
 *
 * Registers have the numbers of the processor: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp,
 * 6 rsi, 7 rdi, 8 to 15. All operations are of 64 bits. Failures are kept in the recipe:
 * the point is then left out, with a reason.
 *
 * A histogram by powers of two of the first argument, say:
 *
 *     int number = recipe_take(recipe);
 *
 *     recipe_value(recipe, number, (struct recipe_value){.kind = RECIPE_ARGUMENT});
 *     recipe_log2(recipe, number, number);
 *     recipe_add_indexed(recipe, 0, number, 65, 1);
 *     recipe_give_back(recipe, number);
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_H
#define TRAMMEL_CODE_POINTS_RECIPE_H

#include "code/points/points.h"
#include "code/points/recipe_buffer.h"
#include "code/points/recipe_call.h"
#include "code/points/recipe_compute.h"
#include "code/points/recipe_count.h"
#include "code/points/recipe_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A memory operand of an instruction, implicit ones included. */
struct recipe_operand {
	uint8_t size; /* bytes; 0: not a fixed number (string instructions with a prefix,
			 xsave, ...), or more than 255 */
	uint8_t unit; /* of a string instruction with a prefix: bytes of each access; else
			 as `size` */
	bool reads, writes;
	bool repeated; /* accessed as often as rcx says, or less */
	bool stack;    /* of push, pop, call, ret: by rsp alone */
	bool gathered; /* addresses by a vector of indices: it has no single address */
};

enum { RECIPE_OPERANDS_MAX = 4, RECIPE_REGISTERS = 16 };

/* Reads the memory operands of the instruction at `bytes`, of which `size` may be read,
 * to `ret_operands`; returns their number. nop, lea and prefetches have none. */
size_t recipe_operands(const uint8_t *bytes, size_t size,
		       struct recipe_operand ret_operands[RECIPE_OPERANDS_MAX]);

/* Takes a register, whose value is anything; fails if all are taken (ten can be). */
int recipe_take(struct recipe *recipe);
/* As recipe_take, but register `number` itself (for shifts by cl, and calls). */
int recipe_take_number(struct recipe *recipe, int number);
void recipe_give_back(struct recipe *recipe, int number);

/* As recipe_take, but neither rax nor rdx: for what is needed while these are borrowed.
 */
int recipe_take_aside(struct recipe *recipe);
/* Has register `number` for a while even if it is taken: its value is kept in another
 * one, whose number is returned, -1: it was not taken; recipe_return_borrowed brings it
 * back. */
int recipe_borrow(struct recipe *recipe, int number);
void recipe_return_borrowed(struct recipe *recipe, int number, int kept);

#endif
