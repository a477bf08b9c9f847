/* Registers of a thread, saved. */
#ifndef TRAMMEL_WIRE_REGISTERS_H
#define TRAMMEL_WIRE_REGISTERS_H

#include "wire/unwind.h"

#include <stdint.h>

/* Saved registers in the order of the WIRE_BANK_R.. offsets. */
struct wire_registers {
	uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t flags;
};

/* The registers behind the return of a function that was entered with registers `r`,
 * without pc, which is the word at rsp. Numbered as in call-frame information. */
static inline struct unwind_place wire_return_place(const struct wire_registers *r)
{
	return (struct unwind_place){
		.registers = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp,
			      r->rsp + sizeof(uint64_t), r->r8, r->r9, r->r10, r->r11,
			      r->r12, r->r13, r->r14, r->r15}};
}

#endif
