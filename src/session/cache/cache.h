/*
 * The cache folder, in which plans of files are kept. Its contents will be executed: a
 * folder or file that others may write to is refused.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_H
#define TRAMMEL_SESSION_CACHE_CACHE_H

#include "session/options/options.h"

#include <stdbool.h>
#include <stdint.h>

struct cache_names;

/* Opens the folder: $TRAMMEL_CACHE_DIR, $XDG_CACHE_HOME/trammel or ~/.cache/trammel. A
 * folder that cannot be used gives a warning (on standard error, unless `quiet`) and a
 * cache that keeps nothing. */
struct cache *cache_create(bool quiet);
void cache_destroy(struct cache *cache);

/* Returns the path of the folder in use; NULL if nothing is kept. */
const char *cache_folder(const struct cache *cache);

/* Returns whether files may have been added to the cache since it was opened. */
bool cache_grew(const struct cache *cache);

/* Returns the displacement of struct wire_probes in banks, behind what else is in front
 * of counters. */
uint64_t cache_probes_area(const struct session_options *options);

/* Returns the size in bytes of the part of a bank in front of the counters of modules. */
uint64_t cache_counters_reserved(const struct session_options *options);

/* Returns the bytes of a bank that the cache's files for these options occupy, large
 * modules left out: a program with usual modules needs no more. */
uint64_t cache_counters_extent(const struct cache *cache,
			       const struct session_options *options);

/* Returns the names of the cache's files; NULL if nothing is kept. */
struct cache_names *cache_names(const struct cache *cache);

#endif
