/*
 * Places of measured programs that who controls them asked about: breakpoints, first
 * calls, counts that are reached, and regions that are told. A place is met in each
 * process that has it, in images and libraries that come later, too.
 */
#ifndef TRAMMEL_AGENT_AWAITED_H
#define TRAMMEL_AGENT_AWAITED_H

#include "agent/debugging.h"
#include "base/error.h"
#include "protocol/frame.h"
#include "protocol/protocol.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct awaited;
struct session;

/* What is asked. */
struct awaited_wish {
	enum protocol_point kind;
	const char *place; /* "0x401000", "main", "libz.so.1:deflate" */
	uint64_t count;    /* of POINT_BREAK: times to ignore; of POINT_COUNTER: the time,
			      from the program's beginning, that is meant */
};

/* No places, which tell their events by `tell`. The caller destroys them. */
struct awaited *awaited_create(struct session *session, debugging_tell *tell,
			       void *context);

/* Takes all places away. */
void awaited_destroy(struct awaited *points);

/* Sets one. Errors: no module that is there has the function, though the one that is
 * named is loaded; a count that was reached already, or cannot be known. */
struct trm_error *awaited_set(struct awaited *points, const struct awaited_wish *wish,
			      uint32_t *ret_number);

/* Takes one away; an error if there is none. */
struct trm_error *awaited_unset(struct awaited *points, uint32_t number);

/* A process has other modules than before. */
void awaited_see_modules(struct awaited *points, pid_t pid);

/* It begins an image. */
void awaited_see_exec(struct awaited *points, pid_t pid);

/* It was forked. */
void awaited_see_fork(struct awaited *points, pid_t parent, pid_t child);

/* It has ended. */
void awaited_see_end(struct awaited *points, pid_t pid);

/* Writes what a stop at a breakpoint of the session's was for. */
void awaited_describe(struct awaited *points, uint32_t breakpoint, Trm__Event *event);

#endif
