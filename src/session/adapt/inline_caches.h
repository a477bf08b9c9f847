/*
 * Filling of the inline caches of indirect calls (code/relocate/inline_cache.h), from
 * the tables of call sites and functions in the banks.
 */
#ifndef TRAMMEL_SESSION_ADAPT_INLINE_CACHES_H
#define TRAMMEL_SESSION_ADAPT_INLINE_CACHES_H

#include "session/state/session.h"

/* Fills empty caches of sites that were seen to call, if a pass is due. Returns the
 * nanoseconds until the next pass may be due. */
uint64_t inline_caches_act(struct session *session);

#endif
