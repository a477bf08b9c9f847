/*
 * When the tracer looks at what a program has done: often at first, as its first phases
 * pass quickly, and each has code of its own; later ever less.
 */
#ifndef TRAMMEL_SESSION_ADAPT_POLL_SCHEDULE_H
#define TRAMMEL_SESSION_ADAPT_POLL_SCHEDULE_H

#include "session/state/schedule.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;

/* Whether TRAMMEL_LOOK_US has the first look sooner than after 20 ms, and all others as
 * often, so that tests see more. */
bool poll_schedule_is_dense(void);

/* Nanoseconds until the next look, which stops all threads; 0: now, which is
 * clock_now_ns() in *ret_now. Time counts from the first call on, once a program runs. */
uint64_t poll_schedule_wait(const struct session *session, struct poll_schedule *looks,
			    uint64_t *ret_now);

/* How often at most. All looks together take no more than one in `share` of the time: a
 * short run of a large program would pay more than it saves. */
struct poll_schedule_limits {
	uint64_t longest_ns; /* of a pause */
	unsigned int share;
};

/* A look that began at `since` is over: nanoseconds until the next one. */
uint64_t poll_schedule_pause(struct poll_schedule *looks, uint64_t since,
			     const struct poll_schedule_limits *limits);

/* Whether what a process runs, or counts with, may be changed while they do: it is
 * measured, and nobody else has its space. */
bool poll_schedule_may_change(const struct process *process);

#endif
