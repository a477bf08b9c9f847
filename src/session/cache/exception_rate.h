/*
 * Programs that throw exceptions all the time. Where calls are made in relocated code,
 * the thread's stack is searched at each exception (resident/look.c); programs that do
 * little else run faster with their calls in place. The time this took is known when
 * they end, so the next run of such a program has its calls in place: an empty file
 * "KEY.throws" in the cache folder records it, KEY being a hash of the identities of
 * the executable and of this program. Some runs ignore the file, to find out whether it
 * still holds.
 */
#ifndef TRAMMEL_SESSION_CACHE_EXCEPTION_RATE_H
#define TRAMMEL_SESSION_CACHE_EXCEPTION_RATE_H
#include "session/cache/module_file.h"
#include "wire/control.h"
#include "wire/layout.h"

struct cache;

/* Returns the key of the executable open as `exe`; 0: nothing will be kept. */
uint64_t exception_rate_key(int exe);

/* Returns whether earlier runs of this executable threw so often that this run should
 * make its calls in place. */
bool exception_rate_is_expected(const struct cache *cache, uint64_t key);

/* Records how often ended processes of this executable threw; `looks` is theirs. */
void exception_rate_keep(const struct cache *cache, uint64_t key,
			 const struct wire_looks *looks);

#endif
