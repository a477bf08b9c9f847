/* Keeps the cache folder from growing for ever. */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_PRUNE_H
#define TRAMMEL_SESSION_CACHE_CACHE_PRUNE_H

#include "session/cache/module_file.h"

struct cache;

/* Deletes, if the folder grew, the least recently used files while the folder holds
 * more than $TRAMMEL_CACHE_LIMIT MiB (default 4096), and files left behind by killed
 * runs. */
void cache_prune(const struct cache *cache);

#endif
