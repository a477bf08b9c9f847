/*
 * Schedule by which the tracer looks at the counts of a running program: often at
 * first, as the early phases of a program pass quickly and each has code of its own;
 * later less and less often.
 */
#ifndef TRAMMEL_SESSION_ADAPT_POLL_SCHEDULE_H
#define TRAMMEL_SESSION_ADAPT_POLL_SCHEDULE_H

#include "session/state/schedule.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;

/* Returns whether TRAMMEL_LOOK_US asks for the first look sooner than after 20 ms, and
 * for all others as often, so that tests see more. */
bool poll_schedule_is_dense(void);

/* Returns the nanoseconds until the next look, which stops all threads; 0: now, and
 * the time is written to *ret_now (clock_now_ns()). Time counts from the first call
 * on, once a program runs. */
uint64_t poll_schedule_wait(const struct session *session, struct poll_schedule *looks,
			    uint64_t *ret_now);

/* Upper limits on looks. All looks together take at most one part in `share` of the
 * time: a short run of a large program would otherwise pay more than it saves. */
struct poll_schedule_limits {
	uint64_t longest_ns; /* longest pause between looks */
	unsigned int share;
};

/* Notes the end of a look that began at `since` (clock_now_ns()). Returns the
 * nanoseconds until the next look. */
uint64_t poll_schedule_pause(struct poll_schedule *looks, uint64_t since,
			     const struct poll_schedule_limits *limits);

/* Returns whether the code and counters of a running process may be changed: it is
 * measured, and shares its address space with no other process. */
bool poll_schedule_may_change(const struct process *process);

#endif
