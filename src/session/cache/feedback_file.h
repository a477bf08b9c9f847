/*
 * Execution frequencies that runs measured in a module, for later plans of it: a file
 * "KEY.frequencies" in the cache folder, in host byte order:
 *
 *     struct header   magic, numbers of rows and values, checksum (XXH3) of all
 *     rows            struct frequencies_row[]
 *     values          frequency[]
 *
 * It is written under another name and moved into place. A lost or damaged file is
 * learned again.
 */
#ifndef TRAMMEL_SESSION_CACHE_FEEDBACK_FILE_H
#define TRAMMEL_SESSION_CACHE_FEEDBACK_FILE_H

#include "code/count/frequencies.h"
#include "session/cache/module_file.h"

struct feedback {
	struct frequencies frequencies;
	uint32_t runs; /* runs added since they were last used to make a plan */
};

enum { FEEDBACK_PLANS_MAX = 255 };

/* Loads the frequencies of a module's file into `ret_feedback`; they are empty if
 * there is no sound file. The caller deinits it. */
void feedback_load(const char *folder, uint64_t key, struct feedback *ret_feedback);

/* Saves the frequencies of a module's file. Returns false on failure. */
bool feedback_save(const char *folder, uint64_t key, const struct feedback *feedback);

/* Returns whether runs with these options record frequencies and make their plans from
 * known ones. */
bool feedback_is_used(const struct session_options *options);

/* Returns the edition (see cache_names.h) that identifies plans made from these
 * frequencies; 0: nothing is known. `plans` is the number of plans made so far, each
 * replacing the last, up to FEEDBACK_PLANS_MAX; feedback_plans returns it from an
 * edition. */
uint32_t feedback_generation(const struct feedback *feedback, uint32_t plans);
uint32_t feedback_plans(uint32_t edition);

void feedback_deinit(struct feedback *feedback);

#endif
