/* Forgetting what is over: what lets a sampler run for ever in bounded memory. */
#ifndef TRAMMEL_SAMPLE_FORGET_H
#define TRAMMEL_SAMPLE_FORGET_H

#include "sample/sampler.h"

/* Forgets what no sum and no running process needs; images that have ended, and are of
 * one kind, become one. */
void sampler_forget(struct sampler *sampler);

#endif
