/*
 * General registers that are alive at the instructions of a function: those whose values
 * may be used before they are replaced. Calls, returns, system calls and all ways out of
 * the function use all of them: compilers keep values in registers that a callee of
 * theirs does not change (-fipa-ra), and assembly does so, too.
 */
#ifndef TRAMMEL_CODE_RELOCATE_LIVE_REGISTERS_H
#define TRAMMEL_CODE_RELOCATE_LIVE_REGISTERS_H

#include "code/relocate/cfg.h"

/* A bit for each register, 0: rax. */
enum { LIVE_ALL = 0xffff };

struct live_effect;

struct live_registers {
	struct VECTOR(uint16_t) before; /* by instruction: alive in front of it */
	struct VECTOR(uint8_t) flags;   /* by instruction: flags alive in front of it */
	struct VECTOR(uint32_t) read_written; /* scratch: both masks, by instruction */
	struct live_effect *known;            /* of instructions met before */
};

/* Finds what is alive in a function, in storage that is reused (all 0 at first). */
void live_registers_find(struct live_registers *live, const struct cfg *cfg);

void live_registers_deinit(struct live_registers *live);

#endif
