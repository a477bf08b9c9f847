/*
 * Which instructions at an entry a trampoline takes a copy of, so that threads run on in
 * it.
 */
#ifndef TRAMMEL_CODE_ENTRY_TAIL_COPY_H
#define TRAMMEL_CODE_ENTRY_TAIL_COPY_H

#include "code/entry/trampoline.h"

/*
 * What trampoline.copied may be, with all else filled in: not less than `displaced`.
 * Whether the instructions can be moved is not known before trampoline_emit.
 */
unsigned trampoline_choose_copy(const struct trampoline *trampoline);

#endif
