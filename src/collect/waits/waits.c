/* Waits: blocking calls, by stops at system calls. Nothing is planned for them. */
#include "collect/collect.h"

const struct collector collector_waits = {
	.name = "waits",
	.summary = "blocking calls by call path: how often, how long, on what",
	.waits = true,
};
