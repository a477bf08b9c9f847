/* What the agent asks of a tracer while it measures, on the tracer's own thread. */
#ifndef TRAMMEL_AGENT_TRACER_H
#define TRAMMEL_AGENT_TRACER_H

#include "agent/debugging.h"
#include "base/text.h"
#include "protocol/frame.h"

#include <stdint.h>

struct session;

struct tracer_control {
	int fd;          /* to the agent */
	const char *now; /* path of profiles that are asked for */
	struct frame_reader reader;
	struct debugging debugging;
	struct text sending; /* events that the agent has not taken yet */
	uint64_t left_out;   /* of them, since it did not */
};

/* Serves requests that come on control->fd from now on, as long as the session is. */
void tracer_control_begin(struct tracer_control *control, struct session *session);

#endif
