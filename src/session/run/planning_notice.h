/*
 * That modules are being planned, told by the tracer to the front, whose terminal it is:
 * a large library takes some seconds when it is seen for the first time, and the program
 * waits meanwhile.
 */
#ifndef TRAMMEL_SESSION_RUN_PLANNING_NOTICE_H
#define TRAMMEL_SESSION_RUN_PLANNING_NOTICE_H

#include "session/cache/planning_note.h"
#include "session/options/options.h"

#include <stdbool.h>
#include <stdint.h>

/* In the front. */
struct planning_notice {
	int fd; /* notes come here; -1: nobody wants to know, or the tracer is gone */
	planning_show *show;
	struct planning_note last;
	uint64_t since_ns; /* modules are being planned; 0: none are */
	bool shown;
};

/* In how many ms something is to be shown; -1: that is not known. */
int planning_notice_wait_ms(const struct planning_notice *notice, uint64_t now_ns);

/* Reads what has come, and shows what is to be shown now. */
void planning_notice_act(struct planning_notice *notice, uint64_t now_ns);

/* Takes away what was shown. */
void planning_notice_end(struct planning_notice *notice);

#endif
