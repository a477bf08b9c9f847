/*
 * Relocating one instruction.
 */
#ifndef TRAMMEL_CODE_EMIT_RELOCATE_INSTRUCTION_H
#define TRAMMEL_CODE_EMIT_RELOCATE_INSTRUCTION_H

#include "code/emit/emit.h"

/*
 * Writes code with the effect of `instruction` at its original address. Failures are left
 * in emitter->reason: PLAN_NOT_MOVABLE, PLAN_OUT_OF_REACH.
 */
void relocate_instruction(struct emitter *emitter, const struct instruction *instruction,
			  struct relocation *relocation);

#endif
