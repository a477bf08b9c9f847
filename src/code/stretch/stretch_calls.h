/*
 * System calls that copies of `syscall` may make: they come back behind the instruction,
 * to a program whose threads, code, handlers and rights are what they were.
 */
#ifndef TRAMMEL_CODE_STRETCH_STRETCH_CALLS_H
#define TRAMMEL_CODE_STRETCH_STRETCH_CALLS_H

#include "x86/all_operands.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a copy may make the call of this number. */
bool stretch_call_is_copied(uint32_t number);

/* The number in eax, plus 1, behind an instruction in front of which it was `before`; 0:
 * it is not known. */
uint32_t stretch_call_behind(const struct all_operands *all, uint32_t before);

#endif
