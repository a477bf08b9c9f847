/*
 * Events on their way to the client: kept until it says that they arrived, so that one
 * that comes back after a cut gets those that it missed; and no more at once than it
 * takes.
 */
#ifndef TRAMMEL_AGENT_EVENTS_H
#define TRAMMEL_AGENT_EVENTS_H

#include "base/text.h"
#include "base/vector.h"
#include "protocol/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes that are kept at most: then output waits, and other events are left out. */
enum { EVENTS_KEPT_MAX = 16 << 20 };

struct event_kept {
	uint64_t number;
	char *frame; /* as it is sent */
	size_t size;
};

struct events {
	struct VECTOR(struct event_kept) kept; /* in order */
	size_t sent;                           /* of them, to this client */
	size_t flying;                         /* bytes that were sent */
	size_t bytes;                          /* of all */
	uint64_t last;                         /* number that was given */
	uint64_t left_out;                     /* since the last that was kept */
};

/* Gives the event its number and keeps it. */
void events_add(struct events *events, Trm__Event *event);

/* Returns whether there is room for what can wait where it comes from. */
bool events_have_room(const struct events *events);

/* Forgets those up to a number: they arrived. */
void events_arrived(struct events *events, uint64_t number);

/* All that did not arrive is to be sent again, to a new client. */
void events_begin_again(struct events *events);

/* Adds to `out` those that the client has room for. */
void events_send(struct events *events, struct text *out);

void events_deinit(struct events *events);

#endif
