/* Looks at all threads: what each does, and what it waits for. Those that run are
 * sampled; nothing is planned for it. */
#include "collect/collect.h"

const struct collector collector_stacks = {
	.name = "stacks",
	.summary = "what all threads do, every 100 ms: running, or waiting for what",
	.samples = true,
	.callpath = true,
	.stacks = true,
};
