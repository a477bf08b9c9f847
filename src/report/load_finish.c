#include "report/load_finish.h"

#include "report/arcs.h"
#include "report/blocks.h"
#include "report/edges.h"
#include "report/intervals.h"
#include "report/regions.h"
#include "report/runs.h"

/* Marks modules that have one name. */
static void find_ambiguous(struct report_profile *profile)
{
	struct table first_by_name = {0};

	for (size_t i = 0; i < profile->modules.count; i++) {
		struct report_module *module = &profile->modules.items[i];
		bool new;
		uint64_t *first =
			table_insert(&first_by_name, (uintptr_t)module->name, &new);

		if (new)
			*first = i;
		else
			module->ambiguous = profile->modules.items[*first].ambiguous =
				true;
	}
	table_deinit(&first_by_name);
}

void load_finish(struct report_profile *profile, bool graph)
{
	report_intervals_finish(profile);
	profile->coverage = true;
	vector_for_each (&profile->runs, run)
		if (!report_run_is_coverage(run))
			profile->coverage = false;
	find_ambiguous(profile);
	report_blocks_finish(profile);
	if (graph)
		report_graph_finish(profile);
	report_arcs_finish(profile);
	report_edges_finish(profile);
}
