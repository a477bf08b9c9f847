/*
 * The limit on what all arenas of a run take: counters of threads, and copies of code.
 * What the programs have by then counts on; past it nothing more is measured, and the
 * profile says so.
 */
#ifndef TRAMMEL_SESSION_STATE_MEMORY_H
#define TRAMMEL_SESSION_STATE_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Bytes that a thread or a module needs at least. */
#define MEMORY_LEAST (16u << 10)

struct memory_use {
	uint64_t used; /* bytes when that was looked at last, and what was given since */
	uint64_t next_ns; /* clock_now_ns() when it is looked at anew */
	uint64_t
		retired; /* bytes of them that processes have that were let go for that */
	uint64_t next_look_ns; /* clock_now_ns() when memory_watch_act looks again */
	char *reason; /* why things were not measured, for reports; NULL: nothing was */
};

/* Bytes that arenas may take where nobody says otherwise: a quarter of the machine's
 * memory, or of what the control group of this process may use. */
uint64_t memory_default_limit(void);

/* Whether arenas may take `size` bytes more. */
bool memory_allows(struct session *session, uint64_t size);

/* The same as an error, TRM_ERROR_LIMIT: a reason that reports show, with what to do
 * about it. It is in session.memory then. */
struct trm_error *memory_ask(struct session *session, uint64_t size);

/* Looks what arenas take. */
void memory_look(struct session *session);

/* Says in session.memory, for reports, that the limit was reached. */
void memory_set_reason(struct session *session);

#endif
