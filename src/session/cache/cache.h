/*
 * The folder that plans of files are kept in. What is in it will run: a folder or file
 * that others may write to is refused.
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

/* The folder in use; NULL if nothing is kept. */
const char *cache_folder(const struct cache *cache);

/* Whether files may have been added to it since it was opened. */
bool cache_grew(const struct cache *cache);

/* Bytes of a bank in front of the counters of modules. */
uint64_t cache_counters_reserved(const struct session_options *options);

/* Bytes of a bank behind those that programs with usual modules need. */
uint64_t cache_counters_extent(const struct cache *cache,
			       const struct session_options *options);

/* The names of its files; NULL if nothing is kept. */
struct cache_names *cache_names(const struct cache *cache);

#endif
