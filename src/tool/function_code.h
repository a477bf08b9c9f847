/*
 * The code of a function as tools see it, and what it calls.
 */
#ifndef TRAMMEL_TOOL_FUNCTION_CODE_H
#define TRAMMEL_TOOL_FUNCTION_CODE_H

#include "tool/module.h"

/* Reads the code of a function, once; NULL if it is not understood. */
const struct trammel_code *tool_code_of(const struct trammel_function *function);

/* Why a function has no code, in a few words; NULL: it has. */
const char *tool_code_trouble(const struct trammel_function *function);

/* Frees all code of the module that was read. */
void tool_code_release(struct tool_module *module);

/* The function that an instruction calls, or jumps to at the end of its own: in the
 * module; NULL: none, or not known. */
const struct trammel_function *
tool_code_callee(const struct trammel_instruction *instruction);

/* Its linked name, also if it is in another module; NULL: not known. */
const char *tool_code_callee_name(const struct trammel_instruction *instruction);

/* Whether an instruction leaves its function for good: a return, or a jump to another
 * function (not to a cold part of this one, nor from one to it). */
bool tool_code_is_exit(const struct trammel_instruction *instruction);

/* The instruction at an address; NULL if none begins there. */
const struct trammel_instruction *tool_code_at(const struct trammel_code *code,
					       uint64_t address);

#endif
