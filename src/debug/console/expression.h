/*
 * Expressions over what a stopped thread has. Numbers, names of functions, $REGISTER,
 * arg0 to arg5 (integer arguments at a function's entry), u8() to u64() and i8() to i64()
 * of an address, *ADDRESS (8 bytes), and the operators of C on 64-bit integers.
 */
#ifndef TRAMMEL_DEBUG_CONSOLE_EXPRESSION_H
#define TRAMMEL_DEBUG_CONSOLE_EXPRESSION_H

#include "debug/console/console.h"

/* Computes an expression for thread `tid`. `ret_rest`: what is behind it; NULL: nothing
 * may be there. */
struct trm_error *expression_compute(struct console *console, pid_t tid, const char *text,
				     const char **ret_rest, int64_t *ret_value);

/* Says what is wrong with an expression by itself; nothing is computed, and names of
 * functions may be those of libraries that are not loaded yet. */
struct trm_error *expression_check(struct console *console, const char *text);

/* Returns the place of a register by its name; NULL: there is no such register. */
unsigned long long *expression_register(struct user_regs_struct *registers,
					const char *name, size_t length);

#endif
