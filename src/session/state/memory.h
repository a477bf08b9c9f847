/*
 * Limit on the memory of all arenas of a run: counters of threads, and copies of code.
 * Memory already given to the programs stays and counting in it continues; past the
 * limit nothing more is measured, and the profile says so.
 */
#ifndef TRAMMEL_SESSION_STATE_MEMORY_H
#define TRAMMEL_SESSION_STATE_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Least number of bytes that a thread or a module needs. */
#define MEMORY_LEAST (16u << 10)

struct memory_use {
	uint64_t used;    /* bytes at the last look, and bytes given since */
	uint64_t next_ns; /* clock_now_ns() of the next look */
	uint64_t retired; /* bytes of them held by processes that were let go because of
			     the limit */
	uint64_t next_look_ns; /* clock_now_ns() when memory_watch_act looks again */
	char *reason; /* reason why something was not measured, for reports; NULL: the
			 limit was not reached */
};

/* Returns the default limit on arenas in bytes: a quarter of the machine's memory, or
 * of the limit of this process's control group. */
uint64_t memory_default_limit(void);

/* Returns TRM_ERROR_LIMIT if arenas may not take `size` bytes more, with a reason that
 * reports show and advice what to do; the reason is then kept in session.memory. */
struct trm_error *memory_ask(struct session *session, uint64_t size);

/* Measures the memory that arenas take. */
void memory_look(struct session *session);

/* Writes to session.memory, for reports, that the limit was reached. */
void memory_set_reason(struct session *session);

#endif
