/*
 * Encoding of instructions, in recipes.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_CODE_H
#define TRAMMEL_CODE_POINTS_RECIPE_CODE_H

#include "code/points/recipe_state.h"

/* Encoding, with operands of 64 bits unless `wide` is false: */

/* opcode with ModRM: register and register. */
void recipe_op(struct recipe *recipe, uint16_t opcode, bool wide, int reg, int rm);
/* register, and memory at base + displacement. */
void recipe_op_memory(struct recipe *recipe, uint16_t opcode, bool wide, int reg,
		      int base, int32_t displacement);
/* register, and memory at base + index * scale + displacement. */
void recipe_op_indexed(struct recipe *recipe, uint16_t opcode, int reg, int base,
		       int index, unsigned scale, int32_t displacement);
/* register, and a counter, at `index` * 8 behind it; index -1: none. */
void recipe_op_slot(struct recipe *recipe, uint16_t opcode, int reg, uint32_t slot,
		    int index);
/* The same of a word of the thread: in the bank itself, also where the thread counts in a
 * view of it. */
void recipe_op_word(struct recipe *recipe, uint16_t opcode, int reg, uint32_t slot,
		    int index);
/* register, and a word of the bank's header. */
void recipe_op_bank(struct recipe *recipe, uint16_t opcode, bool wide, int reg,
		    uint32_t offset);
/* call through a word of the bank's header. */
void recipe_call_word(struct recipe *recipe, uint32_t offset);
void recipe_move_constant(struct recipe *recipe, int to, int64_t constant);

/* A branch to a label, by the second byte of its operation code (0x80 | condition); 0:
 * always. */
void recipe_branch(struct recipe *recipe, uint8_t condition, int label);

/* The same within 127 bytes, by enum recipe_condition. */
void recipe_branch_short(struct recipe *recipe, uint8_t condition, int label);

void recipe_push(struct recipe *recipe, int number);
void recipe_pop(struct recipe *recipe, int number);

/* Opcodes for the above; two bytes: behind 0f. */
enum {
	OP_ADD_TO = 0x01,
	OP_OR_TO = 0x09,
	OP_AND_TO = 0x21,
	OP_SUB_TO = 0x29,
	OP_XOR_TO = 0x31,
	OP_COMPARE = 0x39,      /* memory or register with register */
	OP_COMPARE_WITH = 0x3b, /* register with memory */
	OP_GROUP1_BYTE = 0x83,
	OP_GROUP1 = 0x81,
	OP_TEST = 0x85,
	OP_STORE = 0x89,
	OP_LOAD = 0x8b,
	OP_LEA = 0x8d,
	OP_SHIFT = 0xc1,
	OP_STORE_CONSTANT = 0xc7,
	OP_GROUP3 = 0xf7,
	OP_INC = 0xff,
	OP_STORE_BYTE = 0x88,
	OP_LOAD_SIGNED_WORD32 = 0x63,
	OP_MULTIPLY = 0x0faf,
	OP_LOAD_BYTE = 0x0fb6,
	OP_LOAD_WORD16 = 0x0fb7,
	OP_SCAN_REVERSE = 0x0fbd,
	OP_LOAD_SIGNED_BYTE = 0x0fbe,
	OP_LOAD_SIGNED_WORD16 = 0x0fbf,
};

#endif
