/*
 * Programs that throw all the time. Where calls are made in relocated code each exception
 * has the thread's stack looked through (resident/look.c), which programs that do little
 * else are faster without, their calls being in place. How much of their time it took is
 * known when they end, so the next run of such a program has its calls in place: an empty
 * file "KEY.throws" in the cache folder says so, KEY being a hash of the executable's and
 * this program's identity. Some runs are as if it were not there, and find out whether it
 * still holds.
 */
#ifndef TRAMMEL_SESSION_CACHE_EXCEPTION_RATE_H
#define TRAMMEL_SESSION_CACHE_EXCEPTION_RATE_H

#include "session/cache/module_file.h"
#include "wire/layout.h"

struct cache;

/* Of the executable that is open; 0: nothing will be kept. */
uint64_t exception_rate_key(int exe);

/* Whether earlier runs of this executable threw so much that this one's calls should be
 * in place. */
bool exception_rate_is_expected(const struct cache *cache, uint64_t key);

/* Keeps what processes of this executable that ended were like: `looks` is theirs. */
void exception_rate_keep(const struct cache *cache, uint64_t key,
			 const struct wire_looks *looks);

#endif
