/*
 * Notice that modules are being planned, sent by the tracer to the front, which owns
 * the terminal: a large library takes some seconds when it is seen for the first time,
 * and the program waits meanwhile.
 */
#ifndef TRAMMEL_SESSION_RUN_PLANNING_NOTICE_H
#define TRAMMEL_SESSION_RUN_PLANNING_NOTICE_H

#include "session/cache/planning_note.h"
#include "session/options/options.h"

#include <stdbool.h>
#include <stdint.h>

/* State of the notice in the front. */
struct planning_notice {
	int fd; /* notes come here; -1: none are shown, or the tracer is gone */
	planning_show *show;
	struct planning_note last;
	uint64_t since_ns; /* time at which planning began; 0: no modules are being
			      planned */
	bool shown;
};

/* Returns the milliseconds until something is to be shown; -1: not known. */
int planning_notice_wait_ms(const struct planning_notice *notice, uint64_t now_ns);

/* Reads the notes that have come, and shows what is due at `now_ns`. */
void planning_notice_act(struct planning_notice *notice, uint64_t now_ns);

/* Removes the notice from the terminal. */
void planning_notice_end(struct planning_notice *notice);

#endif
