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
#ifndef TRAMMEL_SESSION_CACHE_FEEDBACK_FILE_H
#define TRAMMEL_SESSION_CACHE_FEEDBACK_FILE_H

#include "code/count/frequencies.h"
#include "session/cache/module_file.h"

struct feedback {
	struct frequencies frequencies;
	uint32_t runs; /* that were added since a plan was made anew by them */
};

enum { FEEDBACK_PLANS_MAX = 255 };

/* Of a module's file; empty if there is no sound file. The caller deinits it. */
void feedback_load(const char *folder, uint64_t key, struct feedback *ret_feedback);

/* False if that failed. */
bool feedback_save(const char *folder, uint64_t key, const struct feedback *feedback);

/* Whether runs with these options learn, and their plans are made by what is known. */
bool feedback_is_used(const struct session_options *options);

/* Tells plans apart that were made by these: see cache_names.h. `plans`: how many were,
 * one for the other, up to FEEDBACK_PLANS_MAX, which feedback_plans tells of an edition.
 * 0: nothing is known. */
uint32_t feedback_generation(const struct feedback *feedback, uint32_t plans);
uint32_t feedback_plans(uint32_t edition);

void feedback_deinit(struct feedback *feedback);

#endif
