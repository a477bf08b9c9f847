/* How a trace lies in memory; its writer (channel/output.c) reads it. */
#ifndef TRAMMEL_RUNTIME_SERVICE_TRACE_H
#define TRAMMEL_RUNTIME_SERVICE_TRACE_H

#include "runtime/channel/channel.h"

enum { TRACE_HEAD = 2, TRACE_NUMBER = (1 << 28) - 1 };

static inline bool trace_has_value(enum runtime_event_kind kind)
{
	return kind == RUNTIME_SET || kind == RUNTIME_START || kind == RUNTIME_UNSET ||
	       kind == RUNTIME_ITERATION;
}

/* The metrics that each item has, by their numbers; how many. */
uint32_t trace_metrics(const struct channel *channel, uint32_t *ret_metrics);

#endif
