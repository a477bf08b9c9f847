/*
 * Stubs of the procedure linkage table, as calls and jumps of relocated code meet them:
 * these go through the stub's word themselves.
 */
#ifndef TRAMMEL_CODE_RELOCATE_PLT_STUBS_H
#define TRAMMEL_CODE_RELOCATE_PLT_STUBS_H

#include "code/relocate/whole.h"

/* Whether what a direct call or jump leads to is a stub, a jump through a word, and where
 * that lies. No function's entry is one. */
bool plt_stubs_find(const struct whole_calls *calls, uint64_t target, uint64_t *ret_word);

/* Whether the word is one that the loader fills with a function of the same module, calls
 * of which are counted at stubs of our own. */
bool plt_stubs_is_link(const struct whole_calls *calls, uint64_t word);

#endif
