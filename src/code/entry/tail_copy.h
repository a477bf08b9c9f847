/*
 * Choosing how many instructions a trampoline copies behind the displaced ones: up to the
 * end of a small function, or to its first exit, which saves the jump back.
 */
#ifndef TRAMMEL_CODE_ENTRY_TAIL_COPY_H
#define TRAMMEL_CODE_ENTRY_TAIL_COPY_H

#include "code/entry/trampoline.h"

/*
 * Returns a value for trampoline.copied, in bytes, given all other fields; at least
 * `displaced`. trampoline_emit fails if one of the instructions cannot be moved.
 */
unsigned trampoline_choose_copy(const struct trampoline *trampoline);

#endif
