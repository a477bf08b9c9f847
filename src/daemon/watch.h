/* Which processes are sampled: all, or those of this user, which are looked for. */
#ifndef TRAMMEL_DAEMON_WATCH_H
#define TRAMMEL_DAEMON_WATCH_H

#include "base/table.h"
#include "sample/sampler.h"

/* All-zero watches nothing. */
struct watch {
	bool all;             /* the kernel tells of every process */
	struct table roots;   /* by pid: the process whose events see it; 0: nobody's */
	struct table strange; /* pids that were new the last time */
	size_t followed;      /* processes with events of their own */
	size_t seen;          /* processes that are sampled */
};

/* Begins: with all processes, or those of this user. Error (TRM_ERROR_UNSUPPORTED): that
 * is forbidden. */
struct trm_error *watch_begin(struct watch *watch, struct sampler *sampler, bool all);

/* Looks for processes that began without being made by a sampled one, and lets go of
 * those that are gone with all that they made. */
void watch_scan(struct watch *watch, struct sampler *sampler);

void watch_deinit(struct watch *watch);

#endif
