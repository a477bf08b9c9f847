#include "session/options/by_region.h"

#include "session/options/collector.h"
#include "session/options/options.h"

struct trm_error *by_region_take(const char *option, const char *word, void *to)
{
	struct session_by_region *by_region = to;

	(void)option;
	by_region->on = true;
	if (word)
		patterns_add(&by_region->functions, word);
	return NULL;
}

struct trm_error *by_region_check(struct session_options *options, const char *measure,
				  struct patterns *regions)
{
	const struct collector *collector = options->collector;

	if (!options->by_region.on)
		return NULL;
	if (!collector->slot_size)
		return trm_error_create(TRM_ERROR_USAGE,
					"--by-region keeps counts apart, and -m %s "
					"counts nothing: measure "
					"functions, blocks, edges or calls",
					measure);
	if (collector_has_flags(collector) || collector->graph || collector->paths ||
	    collector->pbo || collector->values || options->points.count)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--by-region keeps apart what functions, blocks, edges, returns "
			"and calls count, and nothing else: measure the rest without it");
	vector_for_each (&options->by_region.functions, pattern)
		vector_push(regions, *pattern);
	vector_deinit(&options->by_region.functions);
	return NULL;
}
