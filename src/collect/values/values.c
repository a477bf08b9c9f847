/* Values: what instructions read and leave, at moments a period apart. Nothing is planned
 * for them: see session/count/values.h. */
#include "collect/collect.h"

const struct collector collector_values = {
	.name = "values",
	.summary = "values of instructions, by samples: see --ninterpret and --vfreq",
	.values = true,
};
