/* Inline caches in banks: see code/relocate/inline_cache.h. */
#ifndef TRAMMEL_SESSION_STATE_INLINE_CACHE_H
#define TRAMMEL_SESSION_STATE_INLINE_CACHE_H

#include "session/state/session.h"

/* Function that is called from a cache; all 0: no function. */
struct inline_callee {
	uint64_t entry; /* addresses */
	uint64_t body;  /* address of its code behind its gate */
};

/* Returns the table of pairs of call sites and functions in a bank. */
struct wire_arcs *inline_cache_table(const struct bank *bank);

/* Returns the words in a bank of the cache whose first slot in the module is `slot`. */
uint64_t *inline_cache_at(const struct bank *bank, const struct module *module,
			  uint32_t slot);

/* Writes a new callee to a cache. The calls that it counted are added to the pair that
 * it had. `entry` is 1 + the number of its new pair. */
void inline_cache_put(const struct bank *bank, uint64_t *cache,
		      const struct inline_callee *callee, uint32_t entry);

/* Clears the caches of an unmapped module; the file may be loaded at another address
 * next time. */
void inline_cache_forget_module(const struct session *session, const struct space *space,
				const struct module *module);

#endif
