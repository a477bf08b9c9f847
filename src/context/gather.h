/*
 * Sums over the ranks of a parallel program: the data that each recorded on its own
 * context, combined by path. Each number has its sum, as in a profile of one process, and
 * `rank.NAME`: a metric of the ranks' own numbers, with the least and the greatest.
 *
 * Ranks exchange profiles in memory (record/trm.h).
 */
#ifndef TRAMMEL_CONTEXT_GATHER_H
#define TRAMMEL_CONTEXT_GATHER_H

#include "context/profile.h"

struct context_gather *context_gather_create(void);
void context_gather_destroy(struct context_gather *gather);

/* Takes a rank's own spool in; first of all, and once. */
struct trm_error *context_gather_spool(struct context_gather *gather, const char *spool,
				       uint32_t rank);
/* Adds the packed data of another rank. */
struct trm_error *context_gather_add(struct context_gather *gather, const void *bytes,
				     size_t size);
/* Packs all data into `ret_bytes`, which the caller frees. Error: out of memory. */
struct trm_error *context_gather_pack(struct context_gather *gather, void **ret_bytes,
				      size_t *ret_size);
/* Writes the profile; `command`: as a shell would need it. Errors: the file cannot be
 * written. */
struct trm_error *context_gather_write(struct context_gather *gather, const char *path,
				       const char *command);

#endif
