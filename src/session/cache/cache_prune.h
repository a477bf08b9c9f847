/* Keeps the cache folder from growing for ever. */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_PRUNE_H
#define TRAMMEL_SESSION_CACHE_CACHE_PRUNE_H

#include "session/cache/module_file.h"

struct cache;

/* If the folder grew: deletes what was used longest ago while more lies in it than
 * $TRAMMEL_CACHE_LIMIT MiB (default 4096), and files that killed runs left behind. */
void cache_prune(const struct cache *cache);

#endif
