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

/* Properties of a file that its name gives. */
struct cache_name {
	uint64_t size; /* bytes of counters */
	uint32_t edition;
};

/* May be used by several threads. `folder` must outlive it. */
struct cache_names *cache_names_create(const char *folder);
void cache_names_destroy(struct cache_names *names);

/* Returns the path of a file with this key, owned by the caller; NULL: no such file. */
char *cache_names_find(struct cache_names *names, struct cache_key key);

/* Deletes the files with this key, which are useless. */
void cache_names_drop(struct cache_names *names, struct cache_key key);

/* Deletes all files with this key except the paths `kept` and `kept_too`, including
 * files that other runs made meanwhile. */
void cache_names_drop_others(struct cache_names *names, struct cache_key key,
			     const char *kept, const char *kept_too);

/* Returns a path for a new file, owned by the caller, and writes to `ret_start` the
 * byte of a bank at which its counters are to begin. */
char *cache_names_choose(struct cache_names *names, struct cache_key key,
			 struct cache_name wanted, uint32_t *ret_start);

/* Returns the byte of a bank at which the `size` bytes of counters of a file that is
 * not kept are to begin. */
uint32_t cache_names_reserve(struct cache_names *names, uint32_t kind, uint64_t size);

/* Returns the edition that the name of the file `path` gives. */
uint32_t cache_names_generation(const char *path);

/* Returns whether a path was chosen, so that files may have been added. */
bool cache_names_grew(struct cache_names *names);

/* Returns the bytes of a bank that files of a kind occupy, large modules left out. */
uint64_t cache_names_extent(struct cache_names *names, uint32_t kind);

#endif
