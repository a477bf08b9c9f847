/*
 * Functions that use their return addresses (code/scan/return_use.h): the bytes behind
 * calls of them stay unpatched, and a function with such a call is not relocated whole,
 * but counted at its entry alone.
 */
#ifndef TRAMMEL_CODE_BUILDER_BEYOND_H
#define TRAMMEL_CODE_BUILDER_BEYOND_H

#include "code/builder/plan_builder.h"
#include "code/scan/ra_readers.h"

/* Finds how functions use return addresses, as far as the request needs it: fills in
 * builder->returns.readers and builder->returns.uses. */
void beyond_find_readers(struct plan_builder *builder);

/* Does for function `index`, and for the calls that `caller` makes, what
 * beyond_find_readers does for all. */
void beyond_find_one(struct plan_builder *builder, uint32_t index, uint32_t caller);

/* Whether a function that uses its return address needs a hook: it may be called by other
 * than direct calls of its own module, so that the bytes behind the call may be patched.
 */
bool beyond_needs_hook(struct plan_builder *builder, uint32_t index);

#endif
