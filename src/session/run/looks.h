/* Looks at all threads now and then, beside the samples that are taken of those that run:
 * see stacks/look.h. */
#ifndef TRAMMEL_SESSION_RUN_LOOKS_H
#define TRAMMEL_SESSION_RUN_LOOKS_H

#include "sample/sampler.h"
#include "session/options/options.h"
#include "stacks/look.h"

/* Opens the sampler's events, for a process that waits for its exec or, with `at_once`,
 * for one that runs. Where threads are looked at, it is enough that they are: without
 * events a note says what is missing. */
struct trm_error *looks_open(const struct session_options *options,
			     struct sampler *sampler, pid_t pid, bool at_once,
			     struct stacks **ret_stacks);

/* Takes samples, waiting for them as sample_source_wait does, and looks if it is time. */
void looks_take(struct stacks *stacks, struct sampler *sampler, uint64_t look_ns, int fd,
		int wait_ms);

/* Ends the samples, and looks no more. `stacks` may be NULL; it is destroyed. */
void looks_finish(struct stacks *stacks, struct sampler *sampler);

#endif
