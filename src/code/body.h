/*
 * Which instructions at an entry a trampoline takes a copy of, so that threads run on in
 * it.
 */
#ifndef TRAMMEL_CODE_BODY_H
#define TRAMMEL_CODE_BODY_H

#include "code/trampoline.h"

/*
 * What trampoline.copied may be, with all else filled in: not less than `displaced`.
 * Whether the instructions can be moved is not known before trampoline_emit.
 */
unsigned trampoline_choose_copy(const struct trampoline *trampoline);

#endif
