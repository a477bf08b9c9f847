/*
 * The process that measures one program for the agent: what `trammel run` or `trammel
 * attach` is at a terminal. It tells the agent what happens by messages.
 */
#ifndef TRAMMEL_AGENT_FRONT_H
#define TRAMMEL_AGENT_FRONT_H

#include "base/error.h"
#include "protocol/frame.h"

#include <stdbool.h>

/* What it begins with. */
struct front_start {
	const Trm__Request *request; /* RUN, ATTACH or STACKS */
	uint64_t run;                /* number of it */
	const char *profile;         /* path that it is written to */
	const char *now;             /* path of profiles that are asked for meanwhile */
	int report_fd;               /* messages to the agent */
	int control_fd;              /* of the tracer, to the agent */
	int console_fd;              /* the debugger's, to the agent; -1: none */
	int folder_fd;               /* says that the profiles' folder is in use */
	int stdio[3];                /* of the program */
};

/* Measures, and ends the process. */
_Noreturn void front_become(const struct front_start *start);

/* Returns the value of a field, a text; NULL: it is not there. */
const char *front_field(const Trm__Request *request, const char *name);

/* Returns an error if the fields of a request are not options as `trammel run` has them.
 */
struct trm_error *front_check(const Trm__Request *request);

/* Returns an error if measurements, with commas between them, cannot be made together. */
struct trm_error *front_combine(const char *list);

#endif
