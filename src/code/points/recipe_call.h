/*
 * Calls of routines in the program, in recipes: see code/points/recipe.h.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_CALL_H
#define TRAMMEL_CODE_POINTS_RECIPE_CALL_H

#include "code/points/recipe_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An analysis routine in the program. Its address is in word `word` of
 * wire_control.routines, which is the same in all threads of a process; the tracer
 * writes it when the routine can be called. 0: it is not called.
 */
struct recipe_routine {
	uint32_t word;    /* below RECIPE_ROUTINES_MAX */
	uint16_t changes; /* general registers that it may change, a bit each; by the ABI:
			     RECIPE_CHANGES_ABI */
	bool known;       /* all of its code was seen, and makes no system call */
	bool simple;      /* known, and it uses no stack, vectors, string instructions or
			     thread pointer, and has no loop: it can be called directly */
	uint8_t direct;   /* not 0: it is; its number in the bank's words for that, from 1
			     on */
	bool vectors;     /* it may change vector registers, x87 or their control words */
	bool thread_pointer; /* it uses the FS base: that of its own library, which the
				thread has once wire_spans.thread_pointer is not 0 */
};
enum {
	RECIPE_CHANGES_ABI = 0x0fc7,
	RECIPE_ROUTINES_MAX = 1024,
	RECIPE_DIRECT_MAX = 32,  /* numbers of routines that are called directly */
	RECIPE_CALL_VECTORS = 1, /* in rax, beside the number of the routine */
	RECIPE_CALL_THREAD = 2,
	RECIPE_CALL_KEEPS = 4, /* recipe_buffer.h: with the number of the buffer */
	RECIPE_CALL_BUFFER_SHIFT = 16,
	RECIPE_CALL_SHIFT = 3,
	RECIPE_ARGUMENTS_MAX = 6,
};

/*
 * Calls a routine with up to six arguments, registers that were taken (recipe_taken) or
 * values of the program. It runs on a stack of its thread's own, with signals put off; a
 * routine that is running is not called again from a signal handler's or a sharing
 * thread's point, which then goes on without. Behind the call registers that were taken
 * have any value, unless the routine does not change them.
 */
void recipe_call(struct recipe *recipe, const struct recipe_routine *routine,
		 const struct recipe_value *arguments, size_t count);

/*
 * Says, in front of everything else, that all that the code does is one call of a
 * routine, or one record of a buffer (recipe_buffer.h), with values of the program: a
 * thread in front of it can be taken back to where the code begins. This makes it
 * shorter.
 */
void recipe_calls_once(struct recipe *recipe);

/*
 * Calls a routine in place of the function at whose entry the point is: it gets the
 * address of a word for the result, and the arguments, at most RECIPE_ARGUMENTS_MAX - 1.
 * If it returns true, as a bool, the function returns what is in the word; if it returns
 * false, or cannot be called, the function runs. Fails where blocks of the function are
 * counted, which would be wrong then, and where flags are alive at its entry.
 */
void recipe_replace(struct recipe *recipe, const struct recipe_routine *routine,
		    const struct recipe_value *arguments, size_t count);

#endif
