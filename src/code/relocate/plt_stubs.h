/*
 * Stubs of the procedure linkage table as targets of calls and jumps in relocated code,
 * which go through the stub's word themselves.
 */
#ifndef TRAMMEL_CODE_RELOCATE_PLT_STUBS_H
#define TRAMMEL_CODE_RELOCATE_PLT_STUBS_H

#include "code/relocate/whole.h"

/* Whether the target of a direct call or jump is a stub, a jump through a word; writes
 * the address of the word. False for entries of functions. */
bool plt_stubs_find(const struct whole_calls *calls, uint64_t target, uint64_t *ret_word);

/* Whether the loader fills the word with a function of the same module, calls of which
 * are counted at stubs of the plan. */
bool plt_stubs_is_link(const struct whole_calls *calls, uint64_t word);

#endif
