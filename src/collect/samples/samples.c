/* Samples: where threads were at moments a period apart. Nothing is planned for them. */
#include "collect/collect.h"

const struct collector collector_samples = {
	.name = "samples",
	.summary = "where time is spent, by samples: see --event and --frequency",
	.samples = true,
};

const struct collector collector_samples_callpath = {
	.name = "samples:callpath",
	.summary = "the same with the calls that led there",
	.samples = true,
	.callpath = true,
};
