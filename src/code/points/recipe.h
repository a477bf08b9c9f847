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
 *     recipe_value(recipe, number, (struct recipe_value){RECIPE_ARGUMENT, 0});
 *     recipe_log2(recipe, number, number);
 *     recipe_add_indexed(recipe, 0, number, 65, 1);
 *     recipe_give_back(recipe, number);
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_H
#define TRAMMEL_CODE_POINTS_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recipe;
struct point_function;

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
	RECIPE_BANK,     /* address of the thread's bank: equal as long as the thread and
			    its counters are */
};

struct recipe_value {
	uint8_t kind;   /* enum recipe_value_kind */
	uint8_t number; /* of a register, argument or operand */
	uint8_t size;   /* bytes; 0: as the instruction has it, or 8 */
	int64_t constant;
};

/* A memory operand of an instruction, implicit ones included. */
struct recipe_operand {
	uint8_t size; /* bytes; 0: not a fixed number (string instructions with a prefix,
			 xsave, ...), or more than 255 */
	bool reads, writes;
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

/* Loads a value into a register that was taken. */
void recipe_value(struct recipe *recipe, int number, struct recipe_value value);

/* The name of a counter of the module, for the functions below. */
enum { RECIPE_MODULE_SLOT = 1u << 30 };
static inline uint32_t recipe_module_slot(uint32_t slot)
{
	return slot | RECIPE_MODULE_SLOT;
}

/* Adds a constant, or a register, to a counter. */
void recipe_count(struct recipe *recipe, uint32_t slot, int32_t constant);
void recipe_add(struct recipe *recipe, uint32_t slot, int number);
/* Adds a constant, or register `number`, to counter `slot` + register `index`, unsigned;
 * to the last one (`slot` + `count` - 1) if it is not below `count`. */
void recipe_count_indexed(struct recipe *recipe, uint32_t slot, int index, uint32_t count,
			  int32_t constant);
void recipe_add_indexed(struct recipe *recipe, uint32_t slot, int index, uint32_t count,
			int number);
/* Has a counter of maxima be at least a register, as an unsigned number; or keep the
 * smallest one, as the complement of that: all counters are 0 at first. */
void recipe_max(struct recipe *recipe, uint32_t slot, int number);
void recipe_min(struct recipe *recipe, uint32_t slot, int number);
/* A counter as a word of the thread, with 0 at first. */
void recipe_load_word(struct recipe *recipe, int number, uint32_t slot);
void recipe_store_word(struct recipe *recipe, uint32_t slot, int number);
/* Address of a counter in the bank of the thread. */
void recipe_slot_address(struct recipe *recipe, int number, uint32_t slot);

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
/* to = quotient of `to` by `from`, which is not 0, and its remainder. Takes rax and rdx
 * meanwhile. */
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
enum { RECIPE_LABELS_MAX = 64 };
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

/* Stores a register at `base` + `displacement`, in memory of ours that is known to be
 * writable, such as an area whose address recipe_slot_address gives. */
void recipe_store(struct recipe *recipe, int base, int32_t displacement, int from,
		  unsigned size);
/* Loads 8 bytes of such memory. */
void recipe_load_own(struct recipe *recipe, int to, int base, int32_t displacement);

/*
 * An analysis routine in the program. Its address is in word `word` of
 * wire_control.routines, which is the same in all threads of a process; the tracer
 * writes it when the routine can be called. 0: it is not called.
 */
struct recipe_routine {
	uint32_t word;
	uint16_t changes; /* general registers that it may change, a bit each; by the ABI:
			     RECIPE_CHANGES_ABI */
	bool vectors;     /* it may change vector registers, x87 or their control words */
	bool thread_pointer; /* it uses the FS base: that of its own library */
	bool memory; /* it may call other code, or block: all that is known of it is the
			ABI */
};
enum { RECIPE_CHANGES_ABI = 0x0fc7, RECIPE_ROUTINES_MAX = 1024 };

/*
 * Calls a routine with up to six arguments, registers that were taken or values of the
 * program. It runs on a stack of its thread's own, with signals put off; a routine that
 * is running is not called again from a signal handler's or a sharing thread's point,
 * which then goes on without.
 */
void recipe_call(struct recipe *recipe, const struct recipe_routine *routine,
		 const struct recipe_value *arguments, size_t count);

/* The value of a register that was taken, as an argument. */
static inline struct recipe_value recipe_taken(int number)
{
	return (struct recipe_value){.kind = 0xff, .number = (uint8_t)number};
}

#endif
