/* The regions of the program in which samples were taken. */
#ifndef TRAMMEL_SESSION_PROFILE_SAMPLE_CONTEXTS_H
#define TRAMMEL_SESSION_PROFILE_SAMPLE_CONTEXTS_H

#include "context/profile.h"
#include "sample/sampler.h"

/* Places the samples that a sampler keeps, by the traces that programs have left, and
 * adds them up. Does nothing if samples are not told apart by contexts. */
void sample_contexts_place(struct sampler *sampler);

/* Begins: traces come to a folder of spools, which must outlive the sampler; it places
 * samples by itself when it keeps too many. */
void sample_contexts_watch(struct sampler *sampler, const char *folder);

#endif
