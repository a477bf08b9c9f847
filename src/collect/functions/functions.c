/* How often each function was called: a counter of 8 bytes at every entry. */
#include "collect/collect.h"

const struct collector collector_functions = {
	.name = "functions",
	.summary = "exact number of calls of every function",
	.probe = PLAN_PROBE_COUNT,
	.slot_size = 8,
};
