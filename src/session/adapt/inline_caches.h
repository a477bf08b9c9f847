/*
 * Filling the inline caches of indirect calls (code/relocate/inline_cache.h), by what the
 * tables of the banks tell of their sites.
 */
#ifndef TRAMMEL_SESSION_ADAPT_INLINE_CACHES_H
#define TRAMMEL_SESSION_ADAPT_INLINE_CACHES_H

#include "session/state/session.h"

/* Fills empty caches of sites that were seen to call, if it is time to look. Returns the
 * nanoseconds until there may be more to do. */
uint64_t inline_caches_act(struct session *session);

#endif
