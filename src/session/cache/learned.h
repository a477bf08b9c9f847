/*
 * What runs taught of a module, for later plans of it: a file "KEY.frequencies" in the
 * cache folder, in host byte order:
 *
 *     struct header   magic, numbers of rows and values, checksum (XXH3) of all
 *     rows            struct frequencies_row[]
 *     values          frequency[]
 *
 * It is written under another name and moved into place. What is lost or damaged is
 * learned again.
 */
#ifndef TRAMMEL_SESSION_CACHE_LEARNED_H
#define TRAMMEL_SESSION_CACHE_LEARNED_H

#include "code/count/frequencies.h"
#include "session/cache/module_file.h"

struct learned {
	struct frequencies frequencies;
	uint32_t runs; /* that were added since a plan was made anew by them */
};

enum { LEARNED_PLANS_MAX = 255 };

/* Of a module's file; empty if there is no sound file. The caller deinits it. */
void learned_load(const char *folder, uint64_t key, struct learned *ret_learned);

/* False if that failed. */
bool learned_save(const char *folder, uint64_t key, const struct learned *learned);

/* Whether runs with these options learn, and their plans are made by what is known. */
bool learned_by(const struct session_options *options);

/* Tells plans apart that were made by these: see cache_names.h. `plans`: how many were,
 * one for the other, up to LEARNED_PLANS_MAX, which learned_plans tells of an edition. 0:
 * nothing is known. */
uint32_t learned_edition(const struct learned *learned, uint32_t plans);
uint32_t learned_plans(uint32_t edition);

void learned_deinit(struct learned *learned);

#endif
