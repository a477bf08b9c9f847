/*
 * Choosing how many instructions at an entry a trampoline copies, so that threads stay in
 * it longer.
 */
#ifndef TRAMMEL_CODE_ENTRY_TAIL_COPY_H
#define TRAMMEL_CODE_ENTRY_TAIL_COPY_H

#include "code/entry/trampoline.h"

/*
 * A value for trampoline.copied, given all other fields: at least `displaced`. Whether
 * the instructions can be moved shows only in trampoline_emit.
 */
unsigned trampoline_choose_copy(const struct trampoline *trampoline);

#endif
