/*
 * Calls of functions that use their return addresses (code/scan/return_use.h): nothing is
 * written behind them, and a function that makes one is not relocated whole, but counted
 * at its entry alone.
 */
#ifndef TRAMMEL_CODE_BUILDER_BEYOND_H
#define TRAMMEL_CODE_BUILDER_BEYOND_H

#include "code/builder/plan_builder.h"
#include "code/scan/ra_readers.h"

/* Finds such functions among the suspects, and all direct calls of them; before any
 * patch is chosen. Fills builder->returns.uses in. */
void beyond_find(struct plan_builder *builder,
		 const struct ra_readers_suspects *suspects);

/* Finds out what functions do with return addresses, as far as the request needs it:
 * builder->returns.readers and builder->returns.uses. */
void beyond_find_readers(struct plan_builder *builder);

/* The same as beyond_find of one more function, and of the calls that `caller` makes. */
void beyond_find_one(struct plan_builder *builder, uint32_t index, uint32_t caller);

/* Whether others than direct calls of its own module may call a function that uses its
 * return address, so that the bytes behind the call may be ours: it needs a hook. */
bool beyond_needs_hook(const struct plan_builder *builder, uint32_t index);

#endif
