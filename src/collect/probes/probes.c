/* One-line probes (--probe): points with code of their own, counters of modules, and
 * tables by keys. */
#include "collect/collect.h"
#include "collect/probes/save.h"
#include "collect/probes/tables.h"

static const struct collector_ops probes_ops = {
	.begin_bank = probes_begin_bank,
	.copy = probes_copy,
	.take = probes_take,
	.forget = probes_forget,
	.save_begin = probes_save_begin,
	.save_points = probes_save_points,
	.save_image = probes_save_image,
};

const struct collector collector_probes = {
	.name = "probes",
	.summary = "what the probes of --probe say, and nothing else",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_POINTS,
	.slot_size = 8,
	.ops = {&probes_ops},
};
