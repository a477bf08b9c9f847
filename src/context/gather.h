/*
 * Sums over the ranks of a parallel program: what each recorded of its own context, put
 * together by path. Of each number there is the sum, as in a profile of one process, and
 * `rank.NAME`: a metric of the ranks' own numbers, with the least and the greatest.
 *
 * What is passed from rank to rank are profiles in memory (record/trm.h).
 */
#ifndef TRAMMEL_CONTEXT_GATHER_H
#define TRAMMEL_CONTEXT_GATHER_H

#include "context/profile.h"

struct context_gather *context_gather_create(void);
void context_gather_destroy(struct context_gather *gather);

/* Takes a rank's own spool in; first of all, and once. */
struct trm_error *context_gather_spool(struct context_gather *gather, const char *spool,
				       uint32_t rank);
/* Takes in what another one packed. */
struct trm_error *context_gather_add(struct context_gather *gather, const void *bytes,
				     size_t size);
/* All of it, to be free()d. Errors: there is no memory for it. */
struct trm_error *context_gather_pack(struct context_gather *gather, void **ret_bytes,
				      size_t *ret_size);
/* Writes the profile; `command`: as a shell would need it. Errors: the file cannot be
 * written. */
struct trm_error *context_gather_write(struct context_gather *gather, const char *path,
				       const char *command);

#endif
