/*
 * The names of cache files, "KEY-KIND-START-SIZE-EDITION.plan". The code in a file has
 * the places of its counters built in, so a name says which part of a bank that is: START
 * and SIZE are bytes of it. Files of one kind (made by one trammel for one measurement)
 * may meet in one process, so new ones get a part that no other file has, as long as
 * there is one. EDITION says by which frequencies its counters were placed (struct
 * learned): among files of one key the one with the highest number is used.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_NAMES_H
#define TRAMMEL_SESSION_CACHE_CACHE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct cache_key {
	uint64_t key; /* hash of all that a plan depends on */
	uint32_t kind;
};

/* Of the names of a key. */
struct cache_name {
	uint64_t size; /* bytes of counters */
	uint32_t edition;
};

/* May be used by several threads. `folder` must outlive it. */
struct cache_names *cache_names_create(const char *folder);
void cache_names_destroy(struct cache_names *names);

/* The path of a file with this key, owned by the caller; NULL: there is none. */
char *cache_names_find(struct cache_names *names, struct cache_key key);

/* Deletes the files with this key: they are of no use. */
void cache_names_drop(struct cache_names *names, struct cache_key key);

/* Deletes all of them but two, which are given by their paths; also those that other runs
 * made meanwhile. */
void cache_names_drop_others(struct cache_names *names, struct cache_key key,
			     const char *kept, const char *kept_too);

/* A path, owned by the caller, for a new file; `ret_start` is where its counters are to
 * begin. */
char *cache_names_choose(struct cache_names *names, struct cache_key key,
			 struct cache_name wanted, uint32_t *ret_start);

/* Where counters of a file that is not kept are to begin. */
uint32_t cache_names_reserve(struct cache_names *names, uint32_t kind, uint64_t size);

/* Of the file with such a path. */
uint32_t cache_names_generation(const char *path);

/* Whether a path was chosen: files may have been added. */
bool cache_names_grew(struct cache_names *names);

/* How many bytes of a bank files of a kind have, those of large modules left out. */
uint64_t cache_names_extent(struct cache_names *names, uint32_t kind);

#endif
